#pragma once

#include <convoy/abi.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace convoy::cpu {

inline std::uint64_t timeline_value(const std::uint64_t* timeline) {
  return std::atomic_ref<std::uint64_t>(*const_cast<std::uint64_t*>(timeline))
      .load(std::memory_order_acquire);
}

inline bool holds(const convoy_wait& point) {
  return timeline_value(point.timeline) >= point.value;
}

// What wakes sleeping threads of this plug-in. Device threads sleep on an epoch that every
// completion and submission advances; they read it before looking for work, so a change in between
// is never missed. Threads of the host wait for one point each and are woken only for that, since
// waking them for every operation would take the cores away from the devices.
class Doorbell {
 public:
  std::uint32_t epoch() const { return epoch_.load(std::memory_order_seq_cst); }

  // Something changed; wakes sleeping device threads.
  void ring();

  // Sleeps until the epoch differs from seen, or for at most seconds.
  void sleep(std::uint32_t seen, double seconds);

  // A timeline was advanced to value: wakes the host threads that wait for it.
  void reached(const std::uint64_t* timeline, std::uint64_t value);

  // Wakes all host threads, to look for themselves.
  void wake_hosts();

  // Blocks until the point holds, stop() is true or seconds have passed; looks again at least every
  // few milliseconds because timelines may be advanced by somebody who does not know this doorbell.
  template <typename Stop>
  void wait(const convoy_wait& point, double seconds, const Stop& stop);

 private:
  struct Waiter {
    convoy_wait point;
    std::condition_variable woken;
  };

  void block(Waiter& waiter, double seconds);

  std::atomic<std::uint32_t> epoch_{0};
  std::atomic<std::uint32_t> sleepers_{0};
  std::atomic<std::uint32_t> waiting_{0};
  std::mutex mutex_;
  std::vector<Waiter*> waiters_;
};

// The doorbell that all open devices of this process share, because an operation of one may wait
// for another; it lives as long as somebody holds it.
std::shared_ptr<Doorbell> shared_doorbell();

double monotonic_seconds();

template <typename Stop>
void Doorbell::wait(const convoy_wait& point, double seconds, const Stop& stop) {
  constexpr double kLookAgain = 0.005;
  const double deadline = monotonic_seconds() + seconds;
  Waiter waiter{point, {}};
  {
    const std::lock_guard lock(mutex_);
    waiters_.push_back(&waiter);
    waiting_.fetch_add(1, std::memory_order_seq_cst);
  }
  while (!holds(point) && !stop()) {
    const double left = deadline - monotonic_seconds();
    if (left <= 0.0) break;
    block(waiter, left < kLookAgain ? left : kLookAgain);
  }
  const std::lock_guard lock(mutex_);
  std::erase(waiters_, &waiter);
  waiting_.fetch_sub(1, std::memory_order_seq_cst);
}

}  // namespace convoy::cpu
