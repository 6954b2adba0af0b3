#pragma once

#include <convoy/job_result.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/base/error.hpp"
#include "core/data/pipeline/batch_source.hpp"
#include "core/runtime/asynchronous/staleness.hpp"
#include "core/runtime/breakdown_meter.hpp"
#include "core/runtime/session.hpp"
#include "core/train/learning_rate.hpp"

namespace convoy::runtime {

struct TrainingLoopOptions {
  std::int64_t warmup_steps = 10;
  std::int64_t timed_steps = 100;
  std::int64_t first_step = 0;  // the first step of the learning-rate schedule and the input
  // Continues when a loss is not finite; the summary notes it.
  bool tolerate_divergence = false;
};

// A point between two steps: all submitted steps have finished, and the next one has not begun.
struct PausePoint {
  std::int64_t timed_step = 0;   // the last finished timed step, from 1; during warm-up 0 or below
  std::int64_t global_step = 0;  // updates so far: earlier runs' and warm-up steps included
  bool save_asked = false;       // save_requested() of a host returned true since the last point
                                 // that reported it
};

// The trace of one step.
struct StepTrace {
  struct InputWait {
    std::int64_t step = 0;  // the step for whose batches the host waited, numbered like
                            // TrainingStep
    TimeInterval time;
  };
  std::int64_t number = 0;
  TimeInterval step;  // from the completion of the previous step to that of this one
  std::vector<OperationTime> operations;
  std::vector<InputWait> waits;              // waits for the latest batches
  std::optional<std::uint32_t> strand = {};  // the strand, if workers do not wait for each other
  std::size_t stage = 0;                     // the stage of the plan to which the operations belong
};

// Called on the loop's thread. Empty functions are left out.
struct TrainingEvents {
  std::function<void()> warmed_up;
  std::function<void(const TrainingStep&)> warmup_step;
  std::function<void(const TrainingStep&)> timed_step;
  // Gets the trace of one step: number -2, or the first timed one if there are too few warm-up
  // steps. In an asynchronous session, that step of every strand with operations here.
  std::function<void(const StepTrace&)> trace;
  // Asked for every timed step: whether to pass it to timed_trace.
  std::function<bool(const TrainingStep&)> wants_timed_trace;
  std::function<void(StepTrace)> timed_trace;
  // Called after every step. If one of several hosts wants to stop, all stop soon, after the same
  // step.
  std::function<bool()> stop_requested;
  // Called after every step: whether a checkpoint was requested since the last call. The next
  // pause_after passes this on, on all hosts.
  std::function<bool()> save_requested;
  // Polled on one task, the chief, while workers do not wait for each other: whether a pause is
  // due. All workers pause a few steps later, and pause_after is called there.
  std::function<bool(const PausePoint&)> wants_pause;
  // Called once per timed step, before later steps are submitted: whether to pause after it.
  std::function<bool(const PausePoint&)> pause_after;
  // The pause, in which parameters may be read. Returns whether to continue. The pause counts in
  // the total time but in no step.
  std::function<bool(const PausePoint&)> paused;
  // Called once per step, including warm-up steps, before later steps are submitted: whether the
  // session may get another plan after it.
  std::function<bool(const PausePoint&)> plan_changes_after;
  // Called when the session may get another plan, after a pause of the same step. The time counts
  // in no step.
  std::function<void(const PausePoint&)> change_plan;
  // The images of a step cannot be had; the error is thrown after this call. All submitted steps
  // have finished, and parameters may be read. Not called in an asynchronous session or with
  // several hosts.
  std::function<void(const PausePoint&)> input_failed;
  // An error has ended the steps. Called before waiting for the operations in progress, which may
  // take as long as two steps.
  std::function<void(const Error&)> failing;
};

struct TrainingSummary {
  std::int64_t timed_steps = 0;          // sum over this host's workers
  std::int64_t last_step = 0;            // as in PausePoint
  std::int64_t global_step = 0;          // updates so far: earlier runs' and warm-up steps included
  double total_seconds = 0;              // from the end of warm-up to the end of the last step
  double input_wait_seconds = 0;         // the sum over the steps
  StepBreakdown breakdown;               // of the timed steps on this host
  std::vector<WorkerRecord> workers;     // workers of all hosts; empty unless asynchronous
  bool stopped = false;                  // because stop_requested() returned true
  bool ended_early = false;              // because paused() returned false
  std::optional<std::int64_t> diverged;  // the first step whose loss was not finite
};

// Runs warm-up and timed steps, keeping the devices' queues filled one iteration ahead. Warm-up
// steps are real training steps. With several hosts each takes the batches of its own replicas, and
// all run the same number of steps. Seconds and breakdown are for this host; losses, hits and norms
// are for all hosts. Error kNumerical when a loss is not finite, unless that is tolerated; the
// events have got every step before it.
//
// In an asynchronous session every worker takes its own steps: `warmup_steps` each, then all meet,
// and then they train until workers x timed_steps - 1 updates are done. Events, losses and hits are
// for this host's workers. The points of pauses and the summary count the average number of steps
// per worker.
TrainingSummary run_training(Session& session, data::BatchSource& source,
                             const train::LearningRateSchedule& schedule,
                             const TrainingLoopOptions& options, const TrainingEvents& events);

}  // namespace convoy::runtime
