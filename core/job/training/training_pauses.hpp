#pragma once

#include "core/job/training/checkpoints.hpp"
#include "core/job/training/evaluations.hpp"
#include "core/job/training/run_context.hpp"
#include "core/runtime/training_loop.hpp"

namespace convoy::job {

// The pauses of a training: for checkpoints, for evaluations, and on a request to free the machine
// for a while.
class TrainingPauses {
 public:
  // evaluations: null if the run has none. All must outlive the training.
  TrainingPauses(RunContext& run, Checkpoints& checkpoints, TrainingEvaluations* evaluations)
      : run_(run), checkpoints_(checkpoints), evaluations_(evaluations) {}

  // Subscribes to the events of the training.
  void join(runtime::TrainingEvents& events, runtime::Session& session);
  // Returns the seconds for which the run stood still on request.
  double standstill_seconds() const { return standstill_seconds_; }

 private:
  bool asked_to_stand_still();
  void stand_still(const runtime::PausePoint& point, runtime::Session& session);
  void save_checkpoint(const runtime::PausePoint& point, runtime::Session& session);
  void save_before_the_end(const runtime::PausePoint& point, runtime::Session& session);

  RunContext& run_;
  Checkpoints& checkpoints_;
  TrainingEvaluations* evaluations_;
  bool evaluation_due_ = false;
  bool standstill_asked_ = false;
  double standstill_seconds_ = 0;
};

}  // namespace convoy::job
