#include "core/network/liveness.hpp"

#include <algorithm>
#include <tuple>

namespace convoy::network {
namespace {

// A task that is silent for this part of the time-out gets a notice.
constexpr double kWorthANotice = 0.375;
// If two looks are further apart than this part of the time-out, this process was asleep.
constexpr double kPause = 0.25;

}  // namespace

std::string to_string(const Position& position) {
  std::string text = fmt::format("at step {}", position.step);
  if (position.operation < 0) return text;
  text += fmt::format(" in operation {}", position.operation);
  if (!position.operation_text.empty()) text += fmt::format(" ({})", position.operation_text);
  return text;
}

void Liveness::begin(int tasks, TimePoint now) {
  tasks_.assign(static_cast<std::size_t>(tasks), Task{now, now, {}});
  last_look_ = now;
}

void Liveness::heard(int rank, TimePoint now) {
  tasks_[static_cast<std::size_t>(rank)].heard = now;
}

void Liveness::beat(int rank, const Position& position, TimePoint now) {
  Task& task = tasks_[static_cast<std::size_t>(rank)];
  task.heard = now;
  if (position.step != task.position.step || position.operation != task.position.operation)
    task.moved = now;
  task.position = position;
}

void Liveness::forget(int rank) {
  tasks_[static_cast<std::size_t>(rank)].watched = false;
}

Liveness::Findings Liveness::look(TimePoint now) {
  const double pause = seconds_between(last_look_, now);
  if (pause > kPause * peer_timeout_)
    for (Task& task : tasks_) {
      task.heard = std::min(now, after(task.heard, pause));
      task.moved = std::min(now, after(task.moved, pause));
    }
  last_look_ = now;
  Findings findings;
  for (std::size_t rank = 0; rank < tasks_.size(); ++rank) {
    if (!tasks_[rank].watched) continue;
    look_at_silence(rank, now, findings);
    look_at_progress(rank, now, findings);
  }
  return findings;
}

void Liveness::look_at_silence(std::size_t rank, TimePoint now, Findings& findings) {
  Task& task = tasks_[rank];
  const double silence = seconds_between(task.heard, now);
  if (silence >= peer_timeout_) findings.dead.push_back(static_cast<int>(rank));
  const bool silent = silence >= kWorthANotice * peer_timeout_;
  if (silent == task.silent) return;
  task.silent = silent;
  findings.notices.push_back(
      silent ? fmt::format("{} has sent no heartbeat for {:.1f} s, {}; it counts as lost after "
                           "--peer_timeout={:g} s",
                           text_(static_cast<int>(rank)), silence, to_string(task.position),
                           peer_timeout_)
             : fmt::format("{} is heard again", text_(static_cast<int>(rank))));
}

// If tasks stand still because they wait for each other, the task that is behind is the cause.
bool Liveness::is_behind(const Task& task) const {
  const auto place = [](const Task& of) {
    return std::tuple(of.position.step, of.position.operation);
  };
  return std::ranges::any_of(
      tasks_, [&](const Task& other) { return other.watched && place(task) < place(other); });
}

void Liveness::look_at_progress(std::size_t rank, TimePoint now, Findings& findings) {
  Task& task = tasks_[rank];
  const double still = seconds_between(task.moved, now);
  const bool stalled = !task.silent && task.position.operation >= 0 && still >= peer_timeout_;
  if (stalled == task.stalled) return;
  if (stalled && !is_behind(task)) return;
  task.stalled = stalled;
  findings.notices.push_back(
      stalled ? fmt::format("{} is stalled {} for {:.1f} s; it answers, so the run waits for it",
                            text_(static_cast<int>(rank)), to_string(task.position), still)
              : fmt::format("{} gets on again", text_(static_cast<int>(rank))));
}

std::vector<Position> Liveness::positions() const {
  std::vector<Position> positions;
  for (const Task& task : tasks_) positions.push_back(task.position);
  return positions;
}

}  // namespace convoy::network
