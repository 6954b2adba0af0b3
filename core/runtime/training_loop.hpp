#pragma once

#include <convoy/job_result.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/base/error.hpp"
#include "core/data/pipeline/batch_source.hpp"
#include "core/runtime/breakdown_meter.hpp"
#include "core/runtime/session.hpp"
#include "core/runtime/staleness.hpp"
#include "core/train/learning_rate.hpp"

namespace convoy {

struct TrainingLoopOptions {
  std::int64_t warmup_steps = 10;
  std::int64_t timed_steps = 100;
  std::int64_t first_step = 0;  // of the learning-rate schedule and the input
  // Goes on when a loss is not finite; the summary says so.
  bool tolerate_divergence = false;
};

// Between two steps: everything submitted has finished, nothing of the next step has begun.
struct PausePoint {
  std::int64_t timed_step = 0;   // the last finished one, from 1; of warm-up: 0 or below
  std::int64_t global_step = 0;  // updates so far: earlier runs' and warm-up steps included
  bool save_asked = false;       // of a host by its save_requested(), since this was said last
};

// What was seen of one step.
struct StepTrace {
  struct InputWait {
    std::int64_t step = 0;  // whose batches the host waited for, numbered like TrainingStep
    TimeInterval time;
  };
  std::int64_t number = 0;
  TimeInterval step;  // from the completion of the step before to that of this one
  std::vector<OperationTime> operations;
  std::vector<InputWait> waits;              // of the latest batches
  std::optional<std::uint32_t> strand = {};  // of workers that do not wait for each other: whose
  std::size_t stage = 0;                     // of the plan: whose operations these are
};

// Called on the loop's thread. Empty functions are left out.
struct TrainingEvents {
  std::function<void()> warmed_up;
  std::function<void(const TrainingStep&)> warmup_step;
  std::function<void(const TrainingStep&)> timed_step;
  // Gets one step: number -2, or the first timed one where there are too few warm-up steps. In an
  // asynchronous session that step of every strand with a part here.
  std::function<void(const StepTrace&)> trace;
  // Asked of every timed step: whether timed_trace is to see it.
  std::function<bool(const TrainingStep&)> wants_timed_trace;
  std::function<void(StepTrace)> timed_trace;
  // Asked after every step. Of several hosts, one that wants to stop stops all of them, after one
  // and the same step, soon.
  std::function<bool()> stop_requested;
  // Asked after every step: whether somebody has asked for a checkpoint since. The next pause_after
  // says it, of several hosts on all of them.
  std::function<bool()> save_requested;
  // Asked of one task, the chief, again and again while workers do not wait for each other: whether
  // a pause is due by then. All come to it a few steps later, and pause_after is asked there.
  std::function<bool(const PausePoint&)> wants_pause;
  // Asked once per timed step, before anything behind it is submitted: whether to pause there.
  std::function<bool(const PausePoint&)> pause_after;
  // The pause: parameters may be read. Returns whether to go on. Its time is part of the total
  // but of no step.
  std::function<bool(const PausePoint&)> paused;
  // Asked once per step, those of warm-up included, before anything behind it is submitted: whether
  // the session may get another plan there.
  std::function<bool(const PausePoint&)> plan_changes_after;
  // The session may, after a pause if one falls on the same step. Likewise part of no step.
  std::function<void(const PausePoint&)> change_plan;
  // An error has ended the steps: before what is under way is waited for, which may take as long as
  // two steps.
  std::function<void(const Error&)> failing;
};

struct TrainingSummary {
  std::int64_t timed_steps = 0;
  std::int64_t global_step = 0;          // updates so far: earlier runs' and warm-up steps included
  double total_seconds = 0;              // from the end of warm-up to the end of the last step
  double input_wait_seconds = 0;         // as the steps say
  StepBreakdown breakdown;               // of the timed steps, this host's
  std::vector<WorkerRecord> workers;     // of all hosts; empty unless asynchronous
  bool stopped = false;                  // because stop_requested() said so
  bool ended_early = false;              // because paused() said so
  std::optional<std::int64_t> diverged;  // the first step whose loss was not finite
};

// Runs warm-up and timed steps, keeping the devices' queues filled one iteration ahead. Warm-up
// steps are real training steps. Of several hosts each takes the batches of its own replicas, and
// all run the same number of steps; seconds and breakdown are this host's, losses, hits and norms
// those of all. Error kNumerical when a loss is not finite, unless
// that is tolerated; the events have seen every step before it.
//
// In an asynchronous session every worker takes its own steps: `warmup_steps` each, then all meet,
// then until there were as many updates as workers x timed_steps less one. Events are about the
// steps of this host's workers, losses and hits likewise. A pause is after so many steps as the
// workers have taken on average, of which the points of pauses and the summary speak.
TrainingSummary run_training(Session& session, BatchSource& source,
                             const LearningRateSchedule& schedule,
                             const TrainingLoopOptions& options, const TrainingEvents& events);

}  // namespace convoy
