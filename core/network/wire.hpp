#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/network/host_port.hpp"
#include "core/network/messages.hpp"

namespace convoy::network {

// Carries messages between tasks and their coordinator: one connection per task, messages in order.
// The only implementation is in a library of its own (core/network/grpc), which a run on one host
// never opens; hence no type of gRPC or protobuf stands here.

// Certificate, key and authorities in PEM form; all empty: clear text.
struct WireSecurity {
  std::string certificate;
  std::string private_key;
  std::string authorities;
  bool encrypted() const { return !certificate.empty(); }
};

using ConnectionId = std::uint64_t;

// Called by threads of the wire, one call at a time per connection. They may call the wire's other
// functions, but must not destroy it.
class ServerEvents {
 public:
  virtual ~ServerEvents() = default;
  virtual void received(ConnectionId connection, TaskMessage message) = 0;
  // The last call for a connection: the peer has ended or its connection is broken.
  virtual void closed(ConnectionId connection) = 0;
};

class WireServer {
 public:
  // Closes every connection and waits for the calls of events to end, at most 2 s.
  virtual ~WireServer() = default;
  virtual int port() const = 0;
  // Queues the message; without effect when the connection is closed.
  virtual void send(ConnectionId connection, const CoordinatorMessage& message) = 0;
  // Ends a connection when all its messages are sent.
  virtual void close(ConnectionId connection) = 0;
};

class ClientEvents {
 public:
  virtual ~ClientEvents() = default;
  virtual void received(CoordinatorMessage message) = 0;
  // The last call: why there is no connection, or why it ended.
  virtual void closed(const std::string& reason) = 0;
};

class WireClient {
 public:
  // Closes the connection after what is queued, and waits for the calls of events to end, at most
  // 2 s.
  virtual ~WireClient() = default;
  virtual void send(const TaskMessage& message) = 0;
};

class Wire {
 public:
  virtual ~Wire() = default;
  // Listens on all addresses of the host. Throws Error with exit code kUnavailable: the address is
  // taken, is none of this machine's, or the certificate is not usable.
  virtual std::unique_ptr<WireServer> listen(const HostPort& address, const WireSecurity& security,
                                             ServerEvents& events) = 0;
  // Begins to connect. What is sent goes out once there is a connection; closed() is called when
  // the attempt fails.
  virtual std::unique_ptr<WireClient> connect(const HostPort& address, const WireSecurity& security,
                                              ClientEvents& events) = 0;
};

// Opens the library with the wire, `<executable>/../lib/convoy/network_grpc.so`. It stays open
// until the process ends. Throws Error with exit code kUnavailable: path, reason and what to do.
Wire& open_grpc_wire();

}  // namespace convoy::network
