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

// What wakes one sleeping thread. The thread reads the epoch, looks for work, and sleeps until the
// epoch has changed or one of the points that it named holds: a change in between is never missed.
class Doorbell {
 public:
  static constexpr std::size_t kMostPoints = 8;

  std::uint32_t epoch() const { return epoch_.load(std::memory_order_seq_cst); }
  // Wakes the thread, or keeps it from falling asleep.
  void ring();
  // Sleeps until the epoch differs from seen, one of the points holds or seconds have passed; may
  // wake for nothing. Of more than kMostPoints points the others are not seen.
  void sleep(std::uint32_t seen, std::span<const convoy_wait> points, double seconds);

 private:
  friend class Doorbells;

  bool wants(const std::uint64_t* timeline, std::uint64_t value) const;

  std::atomic<std::uint32_t> epoch_{0};
  std::atomic<std::uint32_t> point_count_{0};  // 0: awake, or waits for the epoch only
  std::atomic<std::uint32_t> asleep_{0};
  std::atomic<std::uint32_t> taken_{0};  // belongs to a thread
  std::array<std::atomic<const std::uint64_t*>, kMostPoints> timelines_{};
  std::array<std::atomic<std::uint64_t>, kMostPoints> values_{};
  std::atomic<Doorbell*> next_{nullptr};
};

// All doorbells of the process: an operation of one device may wait for another device. Whoever
// advances a timeline wakes only the threads that wait for it: on shared cores, a thread woken for
// nothing delays one that computes. No locks; a doorbell that is given back serves again.
class Doorbells {
 public:
  Doorbells() = default;
  ~Doorbells();
  Doorbells(const Doorbells&) = delete;
  Doorbells& operator=(const Doorbells&) = delete;

  Doorbell& take();
  static void give_back(Doorbell& doorbell);
  // Stores the value, then wakes who waits for it and tells timeline_listeners().
  void reach(std::uint64_t* timeline, std::uint64_t value);
  // The value was stored: wakes who waits for it.
  void wake(const std::uint64_t* timeline, std::uint64_t value);
  void ring_all();
  // Blocks until the point holds, stop is true or seconds have passed; looks again after some
  // look_again_seconds() unless all_tell().
  void wait(const convoy_wait& point, double seconds, const std::atomic<bool>& stop);
  // How long a thread sleeps before it looks again for timelines that somebody has advanced who
  // does not know this object. It grows with the square of how many doorbells were made, so that
  // all of them together look less often, too: hundreds would leave no processor to those that
  // compute.
  double look_again_seconds() const;

 private:
  std::atomic<Doorbell*> first_{nullptr};
  std::atomic<std::uint32_t> count_{0};
};

// The listeners for timelines that devices of this process advance.
TimelineListeners& timeline_listeners();
// Whether the host calls `advanced` for every timeline that it advances (convoy/abi/waking.h).
bool all_tell();

// The doorbells of all open devices of this process; they live as long as somebody holds them.
std::shared_ptr<Doorbells> shared_doorbells();

double monotonic_seconds();

}  // namespace convoy::cpu
