#pragma once

#include <convoy/abi.h>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/runtime/hang_watch.hpp"
#include "core/runtime/square_sums.hpp"
#include "core/runtime/step_work.hpp"

namespace convoy::runtime {

// One batch of one replica, in host memory; must stay until its step is finished.
struct BatchPointers {
  const float* images = nullptr;
  const std::int32_t* labels = nullptr;
};

struct StepInput {
  double learning_rate = 0;
  std::vector<BatchPointers> batches;  // per replica; those of other hosts' replicas are not read
};

// The times of an operation of the lowered plan, on the devices' clock.
struct OperationTime {
  std::uint32_t operation = 0;
  convoy_timing timing{};
};

struct StepResult {
  std::int64_t step = 0;
  double end = 0;  // when the last operation finished, on the devices' clock
  // On several hosts, the result covers only this host's replicas.
  std::vector<double> losses;  // per replica, without the L2 term; 0 for other hosts' replicas
  std::vector<std::array<std::uint64_t, 2>> hits;  // per replica: top-1, top-5
  // Sum of w^2 over decayed elements before the update; empty when this step updated only a part.
  // Several hosts' sums add up.
  std::optional<double> square_sum;
  // Per variable of the arena, the sum of squares of the gradient that was applied, before weight
  // decay; empty when the plan has no such norms or the step no updates.
  std::vector<double> gradient_square_sums;
  std::optional<double> loss_scale;  // of this step, if the scale adapts
};

// The state of an executor that somebody waits for.
struct Stillness {
  double seconds = 0;           // without progress, see HangWatch
  bool waits_for_peer = false;  // an operation waits for another host
};

struct ExecutorOptions {
  std::uint32_t iterations_in_flight = 2;  // iterations that may be queued at a time
  // Time without progress after which waiting fails with an Error. Waiting for another host does
  // not count.
  double deadline_seconds = 600;
};

// Runs a lowered plan. All submissions are built once; a step only fills in its counters and
// pointers and queues them, up to a few iterations ahead. Once every phase of the plan has run, a
// step on one host allocates no memory and takes no lock. With several hosts, it runs the
// operations of its own host and its ends of transfers over the network. With several strands, it
// runs one of them with its own iterations; the executors then share devices, timelines and the
// gate. Not thread-safe.
class Executor {
 public:
  explicit Executor(ExecutorParts parts, const ExecutorOptions& options = {});
  // Waits for queued operations, see cancel(). If a device hangs, the memory that it may still use
  // is not freed.
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // The strand that this executor runs; CONVOY_NONE: the whole plan.
  std::uint32_t strand() const { return parts_.strand; }
  // Returns the replicas of this host that compute in this strand or plan.
  std::vector<std::uint32_t> replicas() const;
  // Runs the prologue and waits for it.
  void run_prologue();
  // Sets the number of the next step and the phase of the plan's body with which it begins. Devices
  // use the number for dropout. Call before any step.
  void start_at(std::int64_t step, std::uint32_t phase);
  // The phase that the next step to submit begins with, and the number of that step.
  std::uint32_t phase() const;
  std::int64_t next_step() const { return step_offset_ + submitted_; }
  // Queues the next step. Call finish_step() often enough that at most steps_in_flight() are open.
  void submit_step(const StepInput& input);
  std::int64_t steps_in_flight() const;
  // Waits for the oldest open step. The result is valid until the next call. Throws the Error of
  // look() for an operation that does not end, kTimeout for a lost host, and a device's own Error
  // with the name of its place.
  const StepResult& finish_step();
  // Whether finish_step() would return at once. Requires an open step.
  bool step_is_finished() const;
  // Checks for operations that hang. Whoever waits without finish_step() must call it several times
  // a second. Throws if an operation that may run exceeds its time limit: Error kUnavailable if the
  // device or kernel did not come with convoy, else kTimeout.
  Stillness look();
  // Throws Error kTimeout, as finish_step() does, once the network has lost a host that is needed.
  void require_network() const;
  // The times of the operations of the last finished step. Valid until the next step is finished.
  const std::vector<OperationTime>& last_times() const { return last_times_; }
  // Waits until no queued operation can touch memory any more, failed or not. False when a device
  // hangs; then its memory and that of this object must never be freed.
  bool drain() noexcept;
  // Waits as drain() does, in the middle of steps. First the network cancels queued messages with
  // this reason, because other hosts may never send or receive them.
  bool cancel(const std::string& reason) noexcept;

 private:
  // An operation that is next in its lane and may run, and the value that the lane reaches with it.
  struct Ready {
    std::uint32_t lane;
    std::uint64_t value;
    const plan::Operation* operation;
  };

  // Grows whenever a queued operation ends.
  std::uint64_t progress() const;
  void collect(StepSlot& slot, std::uint32_t phase);
  void collect_norms(const StepWork& work, const plan::Operation& operation);
  void submit(std::uint32_t at, std::int64_t iteration, const StepInput& input);
  std::uint64_t last_value(std::uint32_t lane, std::uint32_t phase, const StepSlot& slot) const;
  std::uint64_t lane_value(std::uint32_t lane) const;
  void wait_for(std::uint32_t lane, std::uint64_t value);
  bool wait_on_engine(std::uint32_t lane, std::uint64_t value);
  bool wait_at_gate(const convoy_wait& point);
  double shortest_patience() const;
  bool is_foreign_kernel(const plan::Operation& operation) const;
  std::span<const Ready> operations_that_may_run();
  bool has_begun(const plan::Operation& operation, std::span<const Ready> ready) const;
  [[noreturn]] void fail_hung(const plan::Operation& operation, const char* part, double seconds);
  void hand_over(const plan::Operation& operation, plugin::OpenDevice* device,
                 convoy_submission& submission, std::uint32_t channel);
  std::uint32_t channel_of(const plan::Lane& lane) const;
  void await_prologue(const plan::Operation& operation, const convoy_wait& done);
  bool awaits_peers() const;
  bool awaits_peer(const plan::Operation& operation) const;
  plugin::OpenDevice* device_of(const plan::Operation& operation) const;
  void interrupt_peers(const std::string& reason) noexcept;

  ExecutorParts parts_;
  ExecutorOptions options_;
  plan::StrandOrder order_;
  std::vector<std::uint32_t> lanes_;  // the lanes that have operations of this strand
  // Per operation of the body: its position in the order, if it has one.
  std::vector<std::uint32_t> place_in_order_;
  std::uint32_t plan_tag_ = 0;  // distinguishes messages of this plan from those of others
  SquareSums square_sums_;
  std::unique_ptr<QueuedState> state_;
  std::vector<std::uint64_t> queued_;  // per lane: the value its last queued operation reaches
  std::int64_t step_offset_ = 0;       // the step number that devices see, minus submitted_
  std::int64_t submitted_ = 0;         // steps
  std::int64_t finished_ = 0;
  HangWatch watch_;
  std::vector<Ready> ready_;   // its memory serves every look
  bool stands_still_ = false;  // a timeout was reported
  bool gave_up_ = false;       // drain() gave up
  StepResult result_;
  std::vector<OperationTime> last_times_;
};

}  // namespace convoy::runtime
