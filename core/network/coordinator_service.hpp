#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "core/network/coordinator.hpp"
#include "core/network/wire.hpp"

namespace convoy::network {

// The coordinator of a run with its connections and its clock. Any thread may call.
class CoordinatorService : private ServerEvents {
 public:
  // Listens from here on. Throws Error with exit code kUnavailable: the address is taken or none of
  // this machine's.
  CoordinatorService(Wire& wire, const HostPort& address, const WireSecurity& security,
                     const CoordinatorOptions& options);
  // Gives the tasks up to 1 s to take what they were told, then closes their connections.
  ~CoordinatorService() override;

  int port() const { return server_->port(); }
  // Every task has left, is lost or was refused.
  bool finished();
  // The run was refused, and tasks that have not come yet are to hear why.
  bool refuses_late_tasks();

 private:
  void received(ConnectionId connection, TaskMessage message) override;
  void closed(ConnectionId connection) override;
  void run(const std::stop_token& stop);

  const double tick_seconds_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::set<ConnectionId> connections_;
  bool closing_ = false;  // nobody is answered any more
  std::unique_ptr<Coordinator> coordinator_;
  std::unique_ptr<WireServer> server_;
  std::jthread clock_;
};

}  // namespace convoy::network
