#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace convoy::runtime {

// Measures how long queued operations have taken, for code that waits for them and looks now and
// then. At most kLongestInterval counts between two looks. So an operation does not seem to hang
// because the process was stopped for an hour or did something else. The time before another host's
// message came, however late, does not count for the operation that waited for it.
class HangWatch {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::milliseconds kLongestInterval{100};

  explicit HangWatch(std::size_t lanes) : seen_(lanes) {}

  // Begins a look. `progress`: the sum of all values that the lanes have reached.
  void look(TimePoint now, std::uint64_t progress);
  // Called during a look, if the lane's operation that reaches `value` may run. Returns the seconds
  // since the first look that has seen this, or since the last progress if that is less.
  double may_run(std::size_t lane, std::uint64_t value);
  // Seconds without progress, as of the last look.
  double still() const { return std::chrono::duration<double>(clock_ - last_move_).count(); }

 private:
  struct Seen {
    std::uint64_t value = 0;
    std::chrono::steady_clock::duration since{};
  };

  TimePoint last_look_{};
  std::chrono::steady_clock::duration clock_{};  // the part of the time so far that counts
  std::chrono::steady_clock::duration last_move_{};
  std::uint64_t progress_ = 0;
  std::vector<Seen> seen_;  // per lane
};

}  // namespace convoy::runtime
