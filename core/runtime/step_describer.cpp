#include "core/runtime/step_describer.hpp"

#include <cmath>
#include <numeric>
#include <string>

#include "core/base/error.hpp"

namespace convoy::runtime {

TrainingStep StepDescriber::describe(const StepTotals& totals, double own_loss,
                                     double learning_rate) {
  TrainingStep step;
  step.base_loss = totals.mean_loss();
  step.own_loss = own_loss;
  if (totals.square_sum) square_sum_ = *totals.square_sum;
  step.total_loss = step.base_loss + session_.options().optimizer.weight_decay * square_sum_ / 2;
  step.learning_rate = learning_rate;
  // Inference has no loss and no updates.
  if (session_.forward_only())
    step.base_loss = step.own_loss = step.total_loss = step.learning_rate = 0;
  add_norms(totals, step);
  if (session_.options().accuracy) {
    const auto images = static_cast<double>(totals.images);
    step.top_1 = static_cast<double>(totals.hits[0]) / images;
    step.top_5 = static_cast<double>(totals.hits[1]) / images;
  }
  return step;
}

// The arena holds the variables in reverse order.
void StepDescriber::add_norms(const StepTotals& totals, TrainingStep& step) const {
  const std::vector<double>& sums = totals.gradient_square_sums;
  if (!sums.empty()) step.gradient_norm = std::sqrt(std::accumulate(sums.begin(), sums.end(), 0.0));
  for (auto sum = sums.rbegin(); sum != sums.rend(); ++sum)
    step.gradient_norms.push_back(std::sqrt(*sum));
  const plan::GuardOptions& guard = session_.options().guard;
  step.loss_scale = totals.loss_scale;
  if (!step.loss_scale && guard.scales_loss()) step.loss_scale = guard.loss_scale.scale;
}

std::string step_name(std::int64_t number, std::int64_t warmup_steps) {
  return number < 0 ? fmt::format("warm-up step {}", number + warmup_steps + 1)
                    : fmt::format("step {}", number);
}

void note_divergence(const TrainingStep& step, const TrainingLoopOptions& options,
                     TrainingSummary& summary) {
  // A ReLU makes 0 of NaN, so the loss of a network whose parameters are NaN may be finite.
  const double loss = std::isfinite(step.base_loss) ? step.total_loss : step.base_loss;
  if (std::isfinite(loss)) return;
  if (!summary.diverged) summary.diverged = step.number;
  if (options.tolerate_divergence) return;
  fail(ExitCode::kNumerical,
       "the loss of {} is not a finite number ({}) at learning rate {:g}: training diverged; use a "
       "smaller --init_learning_rate or --gradient_clip_norm, or a smaller --fp16_loss_scale if 16 "
       "bits overflow, and look at the losses before it",
       step_name(step.number, options.warmup_steps),
       std::isnan(loss) ? "nan" : fmt::format("{}", loss), step.learning_rate);
}

}  // namespace convoy::runtime
