#pragma once

#include <convoy/transport.hpp>
#include <convoy/transport_events.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "connection.hpp"
#include "greeting.hpp"
#include "sockets.hpp"

namespace plain_sockets {

// One TCP connection per peer, in clear text, without threads: all work happens in the calls. Of
// two tasks, the one with the larger rank dials.
class SocketTransport : public convoy::Transport {
 public:
  static std::unique_ptr<convoy::Transport> open(const convoy::TransportHost& host,
                                                 const convoy_transport_run& run);
  explicit SocketTransport(const convoy_transport_run& run);
  ~SocketTransport() override;

  void describe(convoy_transport_description& out) override;
  std::string address() override;
  void connect(std::uint32_t peer, std::string_view address) override;
  void expect(const convoy_transfer& transfer) override;
  void send(const convoy_transfer& transfer) override;
  std::uint64_t poll(std::span<convoy_transport_event> out, double seconds) override;
  void interrupt() override;

 private:
  // A peer for which connect was called.
  struct Peer {
    std::unique_ptr<Connection> connection;
    double deadline;
    std::optional<Endpoint> dials{};  // where to dial; empty: the peer dials
    Socket dialled{};
    bool greeted = false;
  };
  struct Caller {
    Socket socket;
    double deadline;
    std::optional<Greeting> greeting{};
  };

  Connection& connection_to(const convoy_transfer& transfer);
  void work();
  void accept_callers();
  void hear(Caller& caller);
  void dial_or_hear(std::uint32_t rank, Peer& peer);
  void establish(std::uint32_t rank, Socket socket);
  void wait(double seconds) const;

  convoy_transport_run run_;
  Greeting greeting_;  // of this task
  Socket listener_;
  convoy::TransportEvents events_;
  std::map<std::uint32_t, Peer> peers_;
  std::vector<Caller> callers_;
  bool interrupted_ = false;
};

}  // namespace plain_sockets
