#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/network/host_port.hpp"
#include "core/network/messages.hpp"

namespace convoy::network {

// Carries messages between tasks and their coordinator. Every task has one connection, which keeps
// the order of messages. The only implementation is in a separate library (core/network/grpc),
// which a run on one host never opens. So this header has no types of gRPC or protobuf.

// Certificate, key and authorities in PEM form. If all are empty, messages are clear text.
struct WireSecurity {
  std::string certificate;
  std::string private_key;
  std::string authorities;
  bool encrypted() const { return !certificate.empty(); }
};

using ConnectionId = std::uint64_t;

// Threads of the wire call these functions, one call at a time per connection. They may call other
// functions of the wire, but must not destroy it.
class ServerEvents {
 public:
  virtual ~ServerEvents() = default;
  virtual void received(ConnectionId connection, TaskMessage message) = 0;
  // The last call for a connection. The peer has ended or the connection is broken.
  virtual void closed(ConnectionId connection) = 0;
};

class WireServer {
 public:
  // Closes every connection and waits for the calls of events to end.
  virtual ~WireServer() = default;
  virtual int port() const = 0;
  // Queues the message. Has no effect if the connection is closed.
  virtual void send(ConnectionId connection, const CoordinatorMessage& message) = 0;
  // Ends a connection when all its messages are sent.
  virtual void close(ConnectionId connection) = 0;
};

class ClientEvents {
 public:
  virtual ~ClientEvents() = default;
  virtual void received(CoordinatorMessage message) = 0;
  // The last call. `reason` says why there is no connection, or why it ended.
  virtual void closed(const std::string& reason) = 0;
};

class WireClient {
 public:
  // Sends the queued messages, closes the connection, and waits for the calls of events to end.
  virtual ~WireClient() = default;
  virtual void send(const TaskMessage& message) = 0;
};

class Wire {
 public:
  virtual ~Wire() = default;
  // Listens on all addresses of the host. Throws Error (kUnavailable) if the address is taken or
  // does not belong to this machine, or if the certificate is not usable.
  virtual std::unique_ptr<WireServer> listen(const HostPort& address, const WireSecurity& security,
                                             ServerEvents& events) = 0;
  // Begins to connect. Messages are sent once there is a connection. closed() is called if the
  // attempt fails.
  virtual std::unique_ptr<WireClient> connect(const HostPort& address, const WireSecurity& security,
                                              ClientEvents& events) = 0;
};

// Opens the library with the wire, `<executable>/../lib/convoy/network_grpc.so`. It stays open
// until the process ends. Throws Error (kUnavailable) with the path, the reason and what to do.
Wire& open_grpc_wire();

}  // namespace convoy::network
