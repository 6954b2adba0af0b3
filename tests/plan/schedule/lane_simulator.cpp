#include "tests/plan/schedule/lane_simulator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace convoy::testing {
namespace {

class Lanes {
 public:
  Lanes(const plan::Plan& plan, const plan::Schedule& schedule, std::uint64_t iterations)
      : plan_(plan),
        schedule_(schedule),
        iterations_(iterations),
        done_(schedule.lanes.size(), 0) {}

  bool finished(std::size_t lane) const { return done_[lane] == iterations_ * size(lane); }

  bool can_go_on(std::size_t lane) const {
    if (finished(lane)) return false;
    const std::uint64_t iteration = done_[lane] / size(lane);
    for (const plan::LaneWait& wait : schedule_.operations[next(lane)].waits) {
      if (wait.distance > iteration) continue;
      const std::uint64_t number = (iteration - wait.distance) * size(wait.lane) + wait.position;
      if (done_[wait.lane] <= number) return false;
    }
    return true;
  }

  void go_on(std::size_t lane, Interpreter& interpreter) {
    const std::uint64_t iteration = done_[lane] / size(lane);
    const plan::Operation& operation = plan_.body[next(lane)];
    interpreter.execute(operation, iteration * plan_.computes + operation.phase);
    ++done_[lane];
  }

 private:
  std::uint64_t size(std::size_t lane) const { return schedule_.lanes[lane].operations.size(); }
  std::uint32_t next(std::size_t lane) const {
    return schedule_.lanes[lane].operations[done_[lane] % size(lane)];
  }

  const plan::Plan& plan_;
  const plan::Schedule& schedule_;
  std::uint64_t iterations_;
  std::vector<std::uint64_t> done_;  // operations of the lane, over all iterations
};

}  // namespace

std::optional<std::string> run_in_random_order(const plan::Plan& lowered,
                                               const plan::Schedule& schedule,
                                               std::uint64_t iterations, std::mt19937& random,
                                               Interpreter& interpreter) {
  for (const plan::Operation& operation : lowered.prologue) interpreter.execute(operation, 0);
  Lanes lanes(lowered, schedule, iterations);
  std::vector<std::size_t> order(schedule.lanes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto unfinished = [&](std::size_t lane) { return !lanes.finished(lane); };
  while (std::any_of(order.begin(), order.end(), unfinished)) {
    std::shuffle(order.begin(), order.end(), random);
    const auto lane = std::find_if(order.begin(), order.end(),
                                   [&](std::size_t it) { return lanes.can_go_on(it); });
    if (lane == order.end()) return "no lane can go on";
    // Bursts let one lane run far ahead of the others.
    const std::size_t burst = 1 + random() % 8;
    for (std::size_t i = 0; i < burst && lanes.can_go_on(*lane); ++i)
      lanes.go_on(*lane, interpreter);
  }
  return std::nullopt;
}

void run_in_program_order(const plan::Plan& lowered, std::uint64_t iterations,
                          Interpreter& interpreter) {
  for (const plan::Operation& operation : lowered.prologue) interpreter.execute(operation, 0);
  for (std::uint64_t i = 0; i < iterations; ++i)
    for (const plan::Operation& operation : lowered.body)
      interpreter.execute(operation, i * lowered.computes + operation.phase);
}

std::optional<std::string> different_memory(const plan::Plan& plan, const Interpreter& a,
                                            const Interpreter& b) {
  const auto differ = [](std::span<const std::byte> x, std::span<const std::byte> y) {
    return !std::equal(x.begin(), x.end(), y.begin(), y.end());
  };
  for (std::uint32_t i = 0; i < plan.buffers.size(); ++i) {
    if (differ(a.bytes(i), b.bytes(i))) return plan.buffer_name(i);
    if (differ(std::as_bytes(a.optimizer_state(i, 0)), std::as_bytes(b.optimizer_state(i, 0))))
      return fmt::format("optimizer state of {}", plan.buffer_name(i));
  }
  return std::nullopt;
}

}  // namespace convoy::testing
