#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "core/network/coordinator.hpp"
#include "core/network/wire.hpp"

namespace convoy::network {

// The coordinator of a run with its connections and its clock. Any thread may call it.
class CoordinatorService : private ServerEvents {
 public:
  // Begins to listen. Throws Error (kUnavailable) if the address is taken or does not belong to
  // this machine.
  CoordinatorService(Wire& wire, const HostPort& address, const WireSecurity& security,
                     const CoordinatorOptions& options);
  // Gives the tasks up to 1 s to receive their messages, then closes their connections.
  ~CoordinatorService() override;

  // Whether every task has left, is lost or was refused.
  bool finished();
  // Whether the run was refused, and tasks that have not come yet must still hear why.
  bool refuses_late_tasks();

 private:
  void received(ConnectionId connection, TaskMessage message) override;
  void closed(ConnectionId connection) override;
  void run(const std::stop_token& stop);

  const double tick_seconds_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::set<ConnectionId> connections_;
  bool closing_ = false;  // no message is answered any more
  std::unique_ptr<Coordinator> coordinator_;
  std::unique_ptr<WireServer> server_;
  std::jthread clock_;
};

}  // namespace convoy::network
