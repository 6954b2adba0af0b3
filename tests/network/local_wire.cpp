#include "tests/network/local_wire.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <thread>
#include <utility>

namespace convoy::network {
namespace local_wire {

// Calls what it is given, in order, in a thread of its own. What is left when it goes is not
// called.
class Courier {
 public:
  Courier() : thread_([this](const std::stop_token& stop) { run(stop); }) {}
  void post(std::function<void()> call) {
    const std::lock_guard lock(mutex_);
    calls_.push_back(std::move(call));
    changed_.notify_all();
  }

 private:
  void run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [&] { return !calls_.empty(); })) {
      const std::function<void()> call = std::move(calls_.front());
      calls_.pop_front();
      lock.unlock();
      call();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::function<void()>> calls_;
  std::jthread thread_;
};

// Events of one side, until that side is gone.
template <typename Events>
class Side {
 public:
  explicit Side(Events& events) : events_(&events) {}
  void call(const std::function<void(Events&)>& what) {
    const std::lock_guard lock(mutex_);
    if (events_ != nullptr) what(*events_);
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    events_ = nullptr;
  }

 private:
  std::mutex mutex_;
  Events* events_;
};

struct Connection {
  Connection(ServerEvents& at_server, ClientEvents& at_client)
      : server(at_server), client(at_client) {}
  Side<ServerEvents> server;
  Side<ClientEvents> client;
  Courier to_server;
  Courier to_client;
};

}  // namespace local_wire

using local_wire::Connection;

class LocalWire::Server : public WireServer {
 public:
  Server(LocalWire& wire, int port, ServerEvents& events)
      : wire_(wire), port_(port), events_(events) {}
  ~Server() override {
    {
      const std::lock_guard lock(wire_.mutex_);
      wire_.servers_.erase(port_);
    }
    for (const auto& [id, connection] : connections_) {
      end(*connection);
      connection->server.leave();
    }
  }
  int port() const override { return port_; }

  void send(ConnectionId id, const CoordinatorMessage& message) override {
    const std::lock_guard lock(mutex_);
    const auto found = connections_.find(id);
    if (found == connections_.end()) return;
    Connection& connection = *found->second;
    connection.to_client.post([&connection, message] {
      connection.client.call([&](ClientEvents& events) { events.received(message); });
    });
  }
  void close(ConnectionId id) override {
    const std::lock_guard lock(mutex_);
    const auto found = connections_.find(id);
    if (found != connections_.end()) end(*found->second);
  }

  std::pair<ConnectionId, std::shared_ptr<Connection>> accept(ClientEvents& client) {
    const std::lock_guard lock(mutex_);
    const ConnectionId id = connections_.size() + 1;
    connections_[id] = std::make_shared<Connection>(events_, client);
    return {id, connections_[id]};
  }

 private:
  static void end(Connection& connection) {
    connection.to_client.post([&connection] {
      connection.client.call([](ClientEvents& events) { events.closed("the server ended it"); });
    });
  }

  LocalWire& wire_;
  const int port_;
  ServerEvents& events_;
  std::mutex mutex_;
  std::map<ConnectionId, std::shared_ptr<Connection>> connections_;
};

class LocalWire::Client : public WireClient {
 public:
  Client(ConnectionId id, std::shared_ptr<Connection> connection)
      : id_(id), connection_(std::move(connection)) {}
  ~Client() override {
    if (!connection_) return;
    post([id = id_](ServerEvents& events) { events.closed(id); });
    connection_->client.leave();
  }
  void send(const TaskMessage& message) override {
    if (connection_)
      post([id = id_, message](ServerEvents& events) { events.received(id, message); });
  }

 private:
  void post(const std::function<void(ServerEvents&)>& what) {
    Connection& connection = *connection_;
    connection.to_server.post([&connection, what] { connection.server.call(what); });
  }

  const ConnectionId id_;
  std::shared_ptr<Connection> connection_;
};

LocalWire::LocalWire() = default;
LocalWire::~LocalWire() = default;

std::unique_ptr<WireServer> LocalWire::listen(const HostPort& address,
                                              const WireSecurity& /*security*/,
                                              ServerEvents& events) {
  auto server = std::make_unique<Server>(*this, address.port, events);
  const std::lock_guard lock(mutex_);
  servers_[address.port] = server.get();
  return server;
}

std::unique_ptr<WireClient> LocalWire::connect(const HostPort& address,
                                               const WireSecurity& /*security*/,
                                               ClientEvents& events) {
  std::unique_lock lock(mutex_);
  const auto found = servers_.find(address.port);
  if (found == servers_.end()) {
    lock.unlock();  // what hears of it takes locks of its own
    events.closed("nobody listens");
    return std::make_unique<Client>(0, nullptr);
  }
  auto [id, connection] = found->second->accept(events);
  return std::make_unique<Client>(id, std::move(connection));
}

}  // namespace convoy::network
