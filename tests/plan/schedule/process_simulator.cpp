#include "tests/plan/schedule/process_simulator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "core/plan/schedule/spanning_collective.hpp"

namespace convoy::testing {
namespace {

constexpr std::uint64_t kIterationsInFlight = 2;
constexpr std::uint64_t kMessagesInFlight = 3;  // of one lane
constexpr std::uint64_t kMoved = std::numeric_limits<std::uint64_t>::max();

// One lane of one process: operations counted over all iterations.
struct LocalLane {
  std::size_t process = 0;
  const plan::Lane* lane = nullptr;
  LocalLane* other_end = nullptr;  // of a network lane
  std::uint64_t started = 0;
  std::uint64_t done = 0;
  std::uint64_t size() const { return lane->operations.size(); }
};

class Processes {
 public:
  Processes(const plan::Plan& plan, const std::vector<plan::Schedule>& schedules,
            std::uint64_t iterations, std::mt19937& random, Interpreter& interpreter)
      : plan_(plan),
        schedules_(schedules),
        iterations_(iterations),
        random_(random),
        interpreter_(interpreter),
        lanes_(schedules.size()) {
    for (std::size_t p = 0; p < schedules.size(); ++p)
      for (const plan::Lane& lane : schedules[p].lanes) lanes_[p].push_back({p, &lane});
    for (auto& lanes : lanes_)
      for (LocalLane& lane : lanes) {
        all_.push_back(&lane);
        if (lane.lane->lane == plan::kNetworkLane) join(lane);
      }
  }

  std::optional<std::string> run() {
    while (std::any_of(all_.begin(), all_.end(), [&](LocalLane* it) { return !finished(*it); })) {
      std::shuffle(all_.begin(), all_.end(), random_);
      const bool moved =
          std::any_of(all_.begin(), all_.end(), [&](LocalLane* it) { return burst(*it); });
      if (!broken_.empty()) return broken_;
      if (!moved) return "no process can go on";
    }
    return std::nullopt;
  }

 private:
  void join(LocalLane& lane) {
    const std::size_t peer =
        lane.process == lane.lane->sender ? lane.lane->receiver : lane.lane->sender;
    for (LocalLane& it : lanes_[peer])
      if (it.lane->lane == plan::kNetworkLane && it.lane->sender == lane.lane->sender &&
          it.lane->receiver == lane.lane->receiver && it.lane->strand == lane.lane->strand &&
          it.lane->priority == lane.lane->priority)
        lane.other_end = &it;
  }

  bool finished(const LocalLane& it) const { return it.done == iterations_ * it.size(); }

  // Bursts let one lane run far ahead of the others.
  bool burst(LocalLane& it) {
    bool moved = false;
    for (std::size_t i = 0, most = 1 + random_() % 8; i < most && go_on(it); ++i) moved = true;
    return moved;
  }

  bool go_on(LocalLane& it) {
    if (it.other_end != nullptr)
      return random_() % 2 == 0 ? start_pair(it) || end_pair(it) : end_pair(it) || start_pair(it);
    if (it.started > it.done) return end_part(it);
    if (!can_start(it)) return false;
    if (plan::spans_hosts(plan_, plan_.body[operation_at(it, it.started)]))
      return start_together(it);
    execute(it, it.started++);
    it.done = it.started;
    return true;
  }

  // The lanes of all processes that have a part in the collective at the head of this one; empty
  // while it is not at the head of all of them.
  std::vector<LocalLane*> heads_of(const LocalLane& it) {
    const std::uint32_t index = operation_at(it, it.started);
    std::vector<LocalLane*> heads;
    for (std::size_t p = 0; p < schedules_.size(); ++p) {
      const std::uint32_t number = schedules_[p].operations[index].lane;
      if (number == CONVOY_NONE) continue;
      LocalLane& lane = lanes_[p][number];
      const bool is_there = lane.started == lane.done && can_start(lane) &&
                            operation_at(lane, lane.started) == index &&
                            lane.started / lane.size() == it.started / it.size();
      if (!is_there) return {};
      heads.push_back(&lane);
    }
    return heads;
  }

  // A collective begins nowhere before it can begin everywhere, and ends at every process by
  // itself.
  bool start_together(LocalLane& it) {
    const std::vector<LocalLane*> heads = heads_of(it);
    if (heads.empty()) return false;
    execute(it, it.started);
    for (LocalLane* lane : heads) ++lane->started;
    return true;
  }

  static bool end_part(LocalLane& it) {
    ++it.done;
    return true;
  }

  bool start_pair(LocalLane& it) {
    LocalLane& other = *it.other_end;
    if (it.started - it.done >= kMessagesInFlight ||
        other.started - other.done >= kMessagesInFlight)
      return false;
    if (!can_start(it) || !can_start(other)) return false;
    if (it.started != other.started ||
        operation_at(it, it.started) != operation_at(other, it.started)) {
      broken_ = fmt::format("lane {} to {} has other operations at its two ends", it.lane->sender,
                            it.lane->receiver);
      return false;
    }
    const bool at_once = random_() % 2 == 0;
    if (at_once) execute(it, it.started);
    moved_[sending(it)].push_back(at_once ? kMoved : it.started);
    ++it.started;
    ++other.started;
    return true;
  }

  // The bytes have moved when the first end is done.
  bool end_pair(LocalLane& it) {
    if (it.done == it.started) return false;
    std::uint64_t& number = moved_[sending(it)].at(it.done);
    if (number != kMoved) execute(it, number);
    number = kMoved;
    ++it.done;
    return true;
  }

  const LocalLane* sending(const LocalLane& it) const {
    return it.process == it.lane->sender ? &it : it.other_end;
  }

  std::uint32_t operation_at(const LocalLane& it, std::uint64_t number) const {
    return it.lane->operations[number % it.size()];
  }

  void execute(const LocalLane& it, std::uint64_t number) {
    const plan::Operation& operation = plan_.body[operation_at(it, number)];
    interpreter_.execute(operation, number / it.size() * plan_.computes + operation.phase);
  }

  bool can_start(const LocalLane& it) const {
    if (it.started == iterations_ * it.size()) return false;
    const std::uint64_t iteration = it.started / it.size();
    const std::vector<LocalLane>& own = lanes_[it.process];
    for (const LocalLane& lane : own)
      if (lane.done / lane.size() + kIterationsInFlight <= iteration) return false;
    for (const plan::LaneWait& wait :
         schedules_[it.process].operations[operation_at(it, it.started)].waits) {
      if (wait.distance > iteration) continue;
      const LocalLane& before = own[wait.lane];
      if (before.done <= (iteration - wait.distance) * before.size() + wait.position) return false;
    }
    return true;
  }

  const plan::Plan& plan_;
  const std::vector<plan::Schedule>& schedules_;
  std::uint64_t iterations_;
  std::mt19937& random_;
  Interpreter& interpreter_;
  std::vector<std::vector<LocalLane>> lanes_;  // per process
  std::vector<LocalLane*> all_;
  // Of every message of a sending lane: its number until its bytes have moved.
  std::map<const LocalLane*, std::vector<std::uint64_t>> moved_;
  std::string broken_;
};

}  // namespace

std::optional<std::string> run_as_processes(const plan::Plan& lowered,
                                            const std::vector<plan::Schedule>& processes,
                                            std::uint64_t iterations, std::mt19937& random,
                                            Interpreter& interpreter) {
  for (const plan::Operation& operation : lowered.prologue) interpreter.execute(operation, 0);
  return Processes(lowered, processes, iterations, random, interpreter).run();
}

}  // namespace convoy::testing
