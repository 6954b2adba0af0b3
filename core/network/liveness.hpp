#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/network/messages.hpp"

namespace convoy::network {

using TimePoint = std::chrono::steady_clock::time_point;

TimePoint steady_now();
// Seconds from one time to another.
double seconds_between(TimePoint from, TimePoint to);
TimePoint after(TimePoint time, double seconds);

// "at step 118 in operation 42 (all_reduce affine0)".
std::string to_string(const Position& position);

// When each task was heard and how far it has come. Silence as long as the time-out is death; a
// task that is heard and does not get on is stalled, never dead. Not for several threads at a time.
class Liveness {
 public:
  using TaskText = std::function<std::string(int rank)>;
  Liveness(double peer_timeout, TaskText text)
      : peer_timeout_(peer_timeout), text_(std::move(text)) {}

  // All tasks are heard now, and nobody has made a step.
  void begin(int tasks, TimePoint now);
  void heard(int rank, TimePoint now);
  void beat(int rank, const Position& position, TimePoint now);
  // The task is not watched any more.
  void forget(int rank);

  struct Findings {
    std::vector<int> dead;  // silent as long as the time-out
    std::vector<std::string> notices;
  };
  // To be called several times per time-out. A pause of this process counts as nobody's silence.
  Findings look(TimePoint now);

  const Position& position(int rank) const {
    return tasks_[static_cast<std::size_t>(rank)].position;
  }
  std::vector<MemberState> states(TimePoint now) const;

 private:
  struct Task {
    TimePoint heard;
    TimePoint moved;  // when its position changed
    Position position;
    bool watched = true;
    bool silent = false;   // said so
    bool stalled = false;  // said so
  };
  void look_at_silence(std::size_t rank, TimePoint now, Findings& findings);
  void look_at_progress(std::size_t rank, TimePoint now, Findings& findings);
  bool is_behind(const Task& task) const;

  double peer_timeout_;
  TaskText text_;
  std::vector<Task> tasks_;
  TimePoint last_look_;
};

}  // namespace convoy::network
