#pragma once

#include <convoy/job_result.hpp>
#include <cstdint>
#include <string>

#include "core/runtime/session.hpp"
#include "core/runtime/step_totals.hpp"
#include "core/runtime/training_loop.hpp"

namespace convoy::runtime {

// Makes the report of a finished step from its totals.
class StepDescriber {
 public:
  // The session must outlive it.
  explicit StepDescriber(const Session& session)
      : session_(session), square_sum_(session.initial_square_sum()) {}

  // Returns losses, rate, accuracies and norms. The caller fills in number and times. `own_loss` is
  // the mean over this host's replicas.
  TrainingStep describe(const StepTotals& totals, double own_loss, double learning_rate);

 private:
  void add_norms(const StepTotals& totals, TrainingStep& step) const;

  const Session& session_;
  double square_sum_;  // as of the last update that covered all elements
};

// Returns a step's name, "warm-up step 2" or "step 5". The `number` of a warm-up step is minus how
// many are left, itself included; its name counts from 1.
std::string step_name(std::int64_t number, std::int64_t warmup_steps);

// Checks whether the step's loss is finite, its L2 term included, which is not if parameters are
// not. If it is not, throws Error kNumerical, or, if the options tolerate that, records the number
// of the first such step in the summary.
void note_divergence(const TrainingStep& step, const TrainingLoopOptions& options,
                     TrainingSummary& summary);

}  // namespace convoy::runtime
