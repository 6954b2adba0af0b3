#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace convoy::runtime {

// How long queued operations have taken, for whoever waits for them and looks now and then. Between
// two looks at most kLongestInterval counts: a process that was stopped for an hour, or that did
// something else, has no operation that hangs. Neither has an operation that could not begin before
// another host's message came, however late that was.
class HangWatch {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::milliseconds kLongestInterval{100};

  explicit HangWatch(std::size_t lanes) : seen_(lanes) {}

  // Begins a look. `progress`: the sum of all values that the lanes have reached.
  void look(TimePoint now, std::uint64_t progress);
  // During a look: that the lane's operation that reaches `value` may run. Returns the seconds
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
  std::chrono::steady_clock::duration clock_{};  // what counts of the time so far
  std::chrono::steady_clock::duration last_move_{};
  std::uint64_t progress_ = 0;
  std::vector<Seen> seen_;  // per lane
};

}  // namespace convoy::runtime
