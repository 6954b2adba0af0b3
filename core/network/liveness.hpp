#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/network/messages.hpp"
#include "core/network/time_point.hpp"

namespace convoy::network {

// "at step 118 in operation 42 (all_reduce affine0)".
std::string to_string(const Position& position);

// Follows when each task was heard last and how far it has come. A task that is silent for as long
// as the time-out is dead. A task that is heard but makes no progress is stalled, never dead. Only
// one thread may use it at a time.
class Liveness {
 public:
  using TaskText = std::function<std::string(int rank)>;
  Liveness(double peer_timeout, TaskText text)
      : peer_timeout_(peer_timeout), text_(std::move(text)) {}

  // Starts to watch: all tasks were heard now, and none has made a step.
  void begin(int tasks, TimePoint now);
  // The same for one task.
  void watch(int rank, TimePoint now) { tasks_[static_cast<std::size_t>(rank)] = {now, now, {}}; }
  void heard(int rank, TimePoint now);
  void beat(int rank, const Position& position, TimePoint now);
  // Stops watching the task.
  void forget(int rank);

  struct Findings {
    std::vector<int> dead;  // silent as long as the time-out
    std::vector<std::string> notices;
  };
  // Call it several times per time-out. A pause of this process does not count as silence of the
  // tasks.
  Findings look(TimePoint now);

  const Position& position(int rank) const {
    return tasks_[static_cast<std::size_t>(rank)].position;
  }
  std::vector<Position> positions() const;  // by rank

 private:
  struct Task {
    TimePoint heard;
    TimePoint moved;  // when its position last changed
    Position position;
    bool watched = true;
    bool silent = false;   // a notice said so
    bool stalled = false;  // likewise
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
