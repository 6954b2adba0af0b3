#pragma once

#include <convoy/abi.h>

#include <array>
#include <atomic>
#include <convoy/waking.hpp>
#include <cstdint>
#include <memory>
#include <span>

namespace convoy::cpu {

inline std::uint64_t timeline_value(const std::uint64_t* timeline) {
  return std::atomic_ref<std::uint64_t>(*const_cast<std::uint64_t*>(timeline))
      .load(std::memory_order_seq_cst);
}

inline bool holds(const convoy_wait& point) {
  return timeline_value(point.timeline) >= point.value;
}

// Wakes one sleeping thread. The thread reads the epoch, looks for work, and sleeps until the epoch
// has changed or one of the points that it named holds. So it never misses a change in between.
class Doorbell {
 public:
  static constexpr std::size_t kMostPoints = 8;

  std::uint32_t epoch() const { return epoch_.load(std::memory_order_seq_cst); }
  // Wakes the thread, or keeps it from falling asleep.
  void ring();
  // Sleeps until the epoch differs from seen, one of the points holds or seconds have passed. May
  // wake without a reason. Only the first kMostPoints points are watched.
  void sleep(std::uint32_t seen, std::span<const convoy_wait> points, double seconds);

 private:
  friend class Doorbells;

  bool wants(const std::uint64_t* timeline, std::uint64_t value) const;

  std::atomic<std::uint32_t> epoch_{0};
  std::atomic<std::uint32_t> point_count_{
      0};  // 0: the thread is awake, or waits for the epoch only
  std::atomic<std::uint32_t> asleep_{0};
  std::atomic<std::uint32_t> taken_{0};  // belongs to a thread
  std::array<std::atomic<const std::uint64_t*>, kMostPoints> timelines_{};
  std::array<std::atomic<std::uint64_t>, kMostPoints> values_{};
  std::atomic<Doorbell*> next_{nullptr};
};

// All doorbells of the process, because an operation of one device may wait for another device. A
// thread that advances a timeline wakes only the threads that wait for it. On shared cores, a
// thread that is woken without need delays one that computes. It has no locks. A doorbell that is
// given back is used again.
class Doorbells {
 public:
  Doorbells() = default;
  ~Doorbells();
  Doorbells(const Doorbells&) = delete;
  Doorbells& operator=(const Doorbells&) = delete;

  Doorbell& take();
  static void give_back(Doorbell& doorbell);
  // Stores the value, then wakes the threads that wait for it and tells timeline_listeners().
  void reach(std::uint64_t* timeline, std::uint64_t value);
  // Wakes the threads that wait for a value that was stored already.
  void wake(const std::uint64_t* timeline, std::uint64_t value);
  void ring_all();
  // Blocks until the point holds, stop is true or seconds have passed. Unless all_tell(), it looks
  // again at intervals of about look_again_seconds().
  void wait(const convoy_wait& point, double seconds, const std::atomic<bool>& stop);
  // How long a thread sleeps before it looks again for timelines that were advanced by code that
  // does not know this object. The time grows with the square of the number of doorbells made, so
  // that all threads together look less often, too. Otherwise hundreds of threads would take the
  // processor from those that compute.
  double look_again_seconds() const;

 private:
  std::atomic<Doorbell*> first_{nullptr};
  std::atomic<std::uint32_t> count_{0};
};

// The listeners for timelines that devices of this process advance.
TimelineListeners& timeline_listeners();
// Whether the host calls `advanced` for every timeline that it advances (convoy/abi/waking.h).
bool all_tell();

// The doorbells of all open devices of this process. They live as long as an owner exists.
std::shared_ptr<Doorbells> shared_doorbells();

double monotonic_seconds();

}  // namespace convoy::cpu
