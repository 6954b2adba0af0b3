#include "core/job/training/evaluations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "core/base/error.hpp"
#include "core/job/without_effect.hpp"

namespace convoy::job {
namespace {

runtime::EvaluationEvents evaluation_events(RunContext& run) {
  runtime::EvaluationEvents events;
  events.every = run.setup.options.display_every;
  events.progress = [&run](std::int64_t step, double examples_per_second) {
    run.observer.evaluation_step(step, examples_per_second);
  };
  events.stop_requested = [&run] {
    return run.setup.task == nullptr ? run.interrupted() : run.setup.task->wants_to_end();
  };
  return events;
}

// Sleeps in short stretches, so that a request to end is noticed.
void sleep_unless_interrupted(std::int64_t seconds, const RunContext& run) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (!run.interrupted() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

void score_model(const TrainedModel& model, Validation& validation, RunContext& run) {
  run.observer.model_loaded(model.path);
  const runtime::Evaluation result = validation.score(model.values, evaluation_events(run));
  if (result.examples == 0) return;
  run.report.evaluation(result, {model.global_step, model.global_step}, model.name);
  run.report.evaluation_total(result);
}

}  // namespace

TrainingEvaluations::TrainingEvaluations(RunContext& run, Validation* validation,
                                         std::int64_t training_examples)
    : run_(run),
      validation_(validation),
      schedule_(run.setup.options.evaluation.triggers, training_examples, run.global_batch()),
      done_steps_(run.sizes.done_steps),
      last_step_(done_steps_ + run.sizes.timed_steps),
      asked_(std::max<std::int64_t>(0, done_steps_ - run.sizes.warmup_steps)) {}

// Returns the step of the next evaluation after those already asked for; `until` + 1 if there is
// none.
std::int64_t TrainingEvaluations::first_due(std::int64_t until) const {
  for (std::int64_t step = asked_ + 1; step <= until && step < last_step_; ++step)
    if (schedule_.due(step)) return step;
  return until + 1;
}

bool TrainingEvaluations::wants(const runtime::PausePoint& point) {
  const std::int64_t step = done_steps_ + point.timed_step;
  const std::int64_t due = first_due(step);
  asked_ = std::max(asked_, due - 1);
  return due <= step;
}

bool TrainingEvaluations::due(const runtime::PausePoint& point) {
  const std::int64_t step = done_steps_ + point.timed_step;
  const bool is_due = first_due(step) <= step;
  asked_ = std::max(asked_, step);
  return is_due;
}

bool TrainingEvaluations::pause(const runtime::PausePoint& point, const runtime::Session& session) {
  evaluate(point, session, false);
  const bool goes_on = outcome_ == Outcome::kGoesOn;
  if (failure_)
    run_.tell(fmt::format("training ends at global_step {}, because its evaluation failed",
                          point.global_step));
  if (validation_ != nullptr && goes_on) run_.observer.enters(report::RunPhase::kTrainingResumes);
  return goes_on;
}

void TrainingEvaluations::final(const runtime::TrainingSummary& summary,
                                const runtime::Session& session) {
  if (outcome_ != Outcome::kFailed) run_.observer.enters(report::RunPhase::kTrainingDone);
  if (outcome_ == Outcome::kGoesOn && !summary.stopped)
    evaluate({summary.last_step, summary.global_step}, session, true);
  if (failure_) std::rethrow_exception(failure_);
}

void TrainingEvaluations::evaluate(const runtime::PausePoint& point,
                                   const runtime::Session& session, bool is_last) {
  const auto begin = std::chrono::steady_clock::now();
  if (run_.setup.task != nullptr) run_.setup.task->pauses();
  // All tasks call this together.
  const runtime::ModelValues values = session.values().read_model();
  outcome_ =
      agreed(validation_ == nullptr ? Outcome::kGoesOn : try_score(point, values, is_last), point);
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TrainingEvaluations::Outcome TrainingEvaluations::try_score(const runtime::PausePoint& point,
                                                            const runtime::ModelValues& values,
                                                            bool is_last) {
  const std::optional<double> target = run_.setup.options.evaluation.stop_at_top_1;
  run_.observer.evaluation_begins(point.global_step, is_last);
  try {
    const runtime::Evaluation result = score(point, values);
    if (is_last || !target || result.stopped || result.top_1 < *target) return Outcome::kGoesOn;
  } catch (...) {
    failure_ = std::current_exception();
    return Outcome::kFailed;
  }
  run_.observer.target_reached(*target);
  return Outcome::kReached;
}

runtime::Evaluation TrainingEvaluations::score(const runtime::PausePoint& point,
                                               const runtime::ModelValues& values) {
  const runtime::Evaluation result = validation_->score(values, evaluation_events(run_));
  if (result.examples > 0) run_.report.evaluation(result, point, "");
  return result;
}

TrainingEvaluations::Outcome TrainingEvaluations::agreed(Outcome own,
                                                         const runtime::PausePoint& point) {
  if (run_.setup.task == nullptr) return own;
  const std::string round = fmt::format("evaluation after {}", point.global_step);
  // It takes as long as the chief evaluates.
  const std::string chiefs =
      run_.setup.task->await_chief(round, own == Outcome::kReached  ? "reached"
                                          : own == Outcome::kFailed ? "failed"
                                                                    : "");
  if (chiefs.empty()) return Outcome::kGoesOn;
  return chiefs == "reached" ? Outcome::kReached : Outcome::kFailed;
}

std::string unused_evaluation_flags(const EvaluationOptions& options) {
  if (options.mode() != RunMode::kTraining && options.mode() != RunMode::kForwardOnly) return {};
  return without_effect(
      {{"eval_batch_size", options.batch_size.has_value()},
       {"num_eval_batches", options.num_batches.has_value()},
       {"num_eval_epochs", options.num_epochs.has_value()},
       {"eval_interval_secs", options.interval_seconds > 0}},
      "nothing is evaluated; --eval and the --eval_during_training flags evaluate");
}

std::optional<TrainedModel> first_trained_model(const JobOptions& options,
                                                const FindTrainedModel& newest) {
  std::optional<TrainedModel> model = newest();
  if (!model && options.evaluation.interval_seconds == 0)
    fail(ExitCode::kFailed,
         "no checkpoint in --train_dir={}; train with that folder first, or set "
         "--eval_interval_secs to wait for one",
         options.checkpoints.train_dir);
  return model;
}

void evaluate_trained_models(RunContext& run, Validation& validation,
                             std::optional<TrainedModel> first, const FindTrainedModel& newest) {
  const JobOptions& options = run.setup.options;
  const std::int64_t interval = options.evaluation.interval_seconds;
  std::string scored;
  std::optional<TrainedModel> model = std::move(first);
  while (!run.interrupted()) {
    if (!model) run.observer.no_checkpoint(options.checkpoints.train_dir);
    if (model && model->name != scored) {
      score_model(*model, validation, run);
      scored = model->name;
    }
    if (interval == 0) return;
    model.reset();  // frees memory, because the model may be large and the wait long
    sleep_unless_interrupted(interval, run);
    if (!run.interrupted()) model = newest();
  }
}

}  // namespace convoy::job
