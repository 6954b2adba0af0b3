#pragma once

#include <convoy/abi.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/plan/plan.hpp"
#include "core/plan/schedule.hpp"
#include "core/runtime/memory.hpp"

namespace convoy {

// One batch of one replica, in host memory; must stay until its step is finished.
struct BatchPointers {
  const float* images = nullptr;
  const std::int32_t* labels = nullptr;
};

struct StepInput {
  double learning_rate = 0;
  std::vector<BatchPointers> batches;  // per replica
};

// When an operation of the lowered plan ran, on the devices' clock.
struct OperationTime {
  std::uint32_t operation = 0;
  convoy_timing timing{};
};

struct StepResult {
  std::int64_t step = 0;
  double end = 0;              // when the last operation finished, on the devices' clock
  std::vector<double> losses;  // per replica, without the L2 term
  std::vector<std::array<std::uint64_t, 2>> hits;  // per replica: top-1, top-5
  // Sum of w^2 over decayed elements before the update; empty when this step updated only a part.
  std::optional<double> square_sum;
};

struct ExecutorOptions {
  std::uint32_t iterations_in_flight = 2;  // how far submission may run ahead
  double deadline_seconds = 600;           // without progress; then Error kTimeout
};

// What the executor needs beside the plan. Everything must outlive it.
struct ExecutorParts {
  const Plan* plan = nullptr;  // lowered
  const Schedule* schedule = nullptr;
  const Engines* engines = nullptr;
  PlanMemory* memory = nullptr;
  const convoy_optimizer* optimizer = nullptr;
  std::vector<void*> programs;              // per replica, compiled on its device
  std::vector<convoy_decay_range> decayed;  // arena ranges with weight decay, ascending
  std::function<convoy_host_kernel(const std::string&)> kernel;  // for CALL
};

// Runs a lowered plan. All submissions are built once; a step only fills in its counters and
// pointers and queues them, up to a few iterations ahead. Not thread-safe.
class Executor {
 public:
  Executor(ExecutorParts parts, const ExecutorOptions& options = {});
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Runs the prologue and waits for it.
  void run_prologue();
  // Queues the next step. Call finish_step() so often that no more than steps_in_flight() are open.
  void submit_step(const StepInput& input);
  std::int64_t steps_in_flight() const;
  // Waits for the oldest open step. Error kTimeout names a lane that does not move.
  StepResult finish_step();
  // When the operations of the last finished step ran.
  std::vector<OperationTime> last_times() const;

 private:
  struct Slot;
  struct Work;

  void build(const Operation& operation, Work& work);
  void build_update(const Operation& operation, Work& work, bool wants_square_sum);
  void choose_square_sums();
  void submit(std::uint32_t index, std::int64_t iteration, const StepInput& input);
  std::uint64_t last_value(std::uint32_t lane, std::uint32_t phase, const Slot& slot) const;
  void wait_for(std::uint32_t lane, std::uint64_t value);
  std::vector<convoy_decay_range> decay_ranges(const PlanSpan& span) const;

  ExecutorParts parts_;
  ExecutorOptions options_;
  std::vector<bool> wants_square_sum_;     // per operation of the body
  std::vector<bool> square_sum_complete_;  // per phase
  std::vector<std::unique_ptr<Slot>> slots_;
  struct alignas(64) Timeline {
    std::uint64_t value = 0;
  };
  std::vector<Timeline> timelines_;    // per lane
  std::vector<std::uint64_t> queued_;  // per lane: the value its last queued operation reaches
  std::int64_t submitted_ = 0;         // steps
  std::int64_t finished_ = 0;
  const Slot* last_slot_ = nullptr;
  std::uint32_t last_phase_ = 0;
};

}  // namespace convoy
