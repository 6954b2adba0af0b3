#include "core/network/coordinator_service.hpp"

#include <algorithm>

namespace convoy::network {
namespace {

// Ticks per peer time-out. A loss is seen within this fraction of it.
constexpr double kTicksPerTimeout = 40;
constexpr double kLongestTick = 0.05;  // seconds
constexpr std::chrono::seconds kFarewell{1};

}  // namespace

CoordinatorService::CoordinatorService(Wire& wire, const HostPort& address,
                                       const WireSecurity& security,
                                       const CoordinatorOptions& options)
    : tick_seconds_(std::min(kLongestTick, options.peer_timeout / kTicksPerTimeout)) {
  // The lock keeps tasks from being heard before the coordinator is complete.
  const std::lock_guard lock(mutex_);
  server_ = wire.listen(address, security, *this);
  coordinator_ = std::make_unique<Coordinator>(
      options,
      [this](ConnectionId to, const CoordinatorMessage& message) { server_->send(to, message); },
      [this](ConnectionId connection) { server_->close(connection); }, steady_now());
  clock_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

CoordinatorService::~CoordinatorService() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kFarewell,
                    [&] { return coordinator_->finished() && connections_.empty(); });
  closing_ = true;
  lock.unlock();
  clock_ = {};
  server_.reset();
}

bool CoordinatorService::finished() {
  const std::lock_guard lock(mutex_);
  return coordinator_->finished();
}

bool CoordinatorService::refuses_late_tasks() {
  const std::lock_guard lock(mutex_);
  return coordinator_->refuses_late_tasks();
}

void CoordinatorService::received(ConnectionId connection, TaskMessage message) {
  const std::lock_guard lock(mutex_);
  if (closing_) return;
  connections_.insert(connection);
  coordinator_->received(connection, message, steady_now());
  changed_.notify_all();
}

void CoordinatorService::closed(ConnectionId connection) {
  const std::lock_guard lock(mutex_);
  if (closing_) return;
  connections_.erase(connection);
  coordinator_->closed(connection, steady_now());
  changed_.notify_all();
}

void CoordinatorService::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const auto wake = std::chrono::duration<double>(tick_seconds_);
    std::condition_variable_any sleep;
    sleep.wait_for(lock, stop, wake, [] { return false; });
    coordinator_->tick(steady_now());
    changed_.notify_all();
  }
}

}  // namespace convoy::network
