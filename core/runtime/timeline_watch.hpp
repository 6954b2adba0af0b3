#pragma once

#include <convoy/abi/submission.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace convoy::runtime {

// The points of timelines for which a thread sleeps, so that it is woken only for these. The thread
// calls begin(), sleeps if that returns true, and calls end(). A thread that has advanced a
// timeline calls wants(). Either begin() has seen the new value, or wants() sees the points,
// because all accesses are in one total order.
class TimelineWatch {
 public:
  // With more points, every timeline that is advanced counts as wanted.
  static constexpr std::size_t kMostPoints = 8;

  // Whether to sleep: none of the points holds.
  bool begin(std::span<const convoy_wait> points);
  void end() { state_.store(kAwake, std::memory_order_seq_cst); }
  // Whether a sleeping thread must be woken for this value. Any thread may call it.
  bool wants(const std::uint64_t* timeline, std::uint64_t value) const;

 private:
  static constexpr std::uint32_t kAwake = 0;
  static constexpr std::uint32_t kForAll = 1;
  static constexpr std::uint32_t kForPoints = 2;  // plus the number of points

  std::atomic<std::uint32_t> state_{kAwake};
  std::array<std::atomic<const std::uint64_t*>, kMostPoints> timelines_{};
  std::array<std::atomic<std::uint64_t>, kMostPoints> values_{};
};

}  // namespace convoy::runtime
