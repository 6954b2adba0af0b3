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

  // Losses, rate, accuracies and norms; number and times are left to the caller. `own_loss`: the
  // mean over this host's replicas.
  TrainingStep describe(const StepTotals& totals, double own_loss, double learning_rate);

 private:
  void add_norms(const StepTotals& totals, TrainingStep& step) const;

  const Session& session_;
  double square_sum_;  // as the last update that covered everything found it
};

// A step in words, "warm-up step 2" or "step 5". Warm-up steps, which number says by what is left
// of them, are counted from 1.
std::string step_name(std::int64_t number, std::int64_t warmup_steps);

// If the step's loss is not a finite number: Error kNumerical, or, where the options tolerate that,
// the summary gets the number of the first such step.
void note_divergence(const TrainingStep& step, const TrainingLoopOptions& options,
                     TrainingSummary& summary);

}  // namespace convoy::runtime
