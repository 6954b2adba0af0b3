#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "core/network/wire.hpp"

namespace convoy::network {

// A wire between the threads of one process, without gRPC: every direction of a connection has a
// thread that delivers. Addresses are ports, which mean nothing to the system. For the thread
// sanitizer, which gRPC's own libraries would drown.
class LocalWire : public Wire {
 public:
  LocalWire();
  ~LocalWire() override;
  std::unique_ptr<WireServer> listen(const HostPort& address, const WireSecurity& security,
                                     ServerEvents& events) override;
  std::unique_ptr<WireClient> connect(const HostPort& address, const WireSecurity& security,
                                      ClientEvents& events) override;

 private:
  class Server;
  class Client;
  std::mutex mutex_;
  std::map<int, Server*> servers_;
};

}  // namespace convoy::network
