#include "core/job/evaluations.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "core/base/error.hpp"

namespace convoy::job {
namespace {

EvaluationEvents evaluation_events(std::int64_t every, RunReport& report,
                                   const StopRequested& stop_requested) {
  EvaluationEvents events;
  events.every = every;
  events.progress = [&report](std::int64_t step, double examples_per_second) {
    report.observer().evaluation_step(step, examples_per_second);
  };
  events.stop_requested = stop_requested;
  return events;
}

// Sleeps in short stretches, so that a request to end is heard.
void sleep_unless_stopped(std::int64_t seconds, const StopRequested& stop_requested) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (!stop_requested() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

void score_model(const TrainedModel& model, const JobOptions& options, Validation& validation,
                 RunReport& report, const StopRequested& stop_requested) {
  report.observer().model_loaded(model.path);
  const Evaluation result = validation.score(
      model.values, evaluation_events(options.display_every, report, stop_requested));
  if (result.examples == 0) return;
  report.evaluation(result, {model.global_step, model.global_step}, model.name);
  report.observer().total(result.examples_per_second());
}

}  // namespace

TrainingEvaluations::TrainingEvaluations(const Setup& setup, const Sizes& sizes,
                                         Validation* validation, std::int64_t training_examples,
                                         std::int64_t global_batch, RunReport& report,
                                         StopRequested stop_requested)
    : task_(setup.task),
      validation_(validation),
      schedule_(setup.options.evaluation.triggers, training_examples, global_batch),
      last_step_(sizes.timed_steps),
      target_(setup.options.evaluation.stop_at_top_1),
      display_every_(setup.options.display_every),
      report_(report),
      stop_requested_(std::move(stop_requested)) {}

// The first step that one falls on behind those that were asked for; `until` + 1 if there is none.
std::int64_t TrainingEvaluations::first_due(std::int64_t until) const {
  for (std::int64_t step = asked_ + 1; step <= until && step < last_step_; ++step)
    if (schedule_.due(step)) return step;
  return until + 1;
}

bool TrainingEvaluations::wants(const PausePoint& point) {
  const std::int64_t due = first_due(point.timed_step);
  asked_ = std::max(asked_, due - 1);
  return due <= point.timed_step;
}

bool TrainingEvaluations::due(const PausePoint& point) {
  const bool is_due = first_due(point.timed_step) <= point.timed_step;
  asked_ = std::max(asked_, point.timed_step);
  return is_due;
}

bool TrainingEvaluations::pause(const PausePoint& point, const Session& session) {
  evaluate(point, session, false);
  if (validation_ != nullptr && !reached_) report_.observer().training_resumes();
  return !reached_;
}

void TrainingEvaluations::final(const TrainingSummary& summary, const Session& session) {
  report_.observer().training_done();
  if (!reached_ && !summary.stopped)
    evaluate({summary.last_step, summary.global_step}, session, true);
}

void TrainingEvaluations::evaluate(const PausePoint& point, const Session& session, bool is_last) {
  const auto begin = std::chrono::steady_clock::now();
  const ModelValues values = session.read_values();  // all tasks together
  bool reached = false;
  if (validation_ != nullptr) {
    report_.observer().evaluation_begins(point.global_step, is_last);
    const Evaluation result = score(point, values);
    reached = !is_last && target_ && !result.stopped && result.top_1 >= *target_;
    if (reached) report_.observer().target_reached(*target_);
  }
  reached_ = agreed(reached, point);
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Evaluation TrainingEvaluations::score(const PausePoint& point, const ModelValues& values) {
  const Evaluation result =
      validation_->score(values, evaluation_events(display_every_, report_, stop_requested_));
  if (result.examples > 0) report_.evaluation(result, point, "");
  return result;
}

bool TrainingEvaluations::agreed(bool reached, const PausePoint& point) {
  if (task_ == nullptr) return reached;
  const std::string round = "evaluation after " + std::to_string(point.global_step);
  return task_->from_chief(round, reached ? "reached" : "") == "reached";
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

void evaluate_trained_models(const JobOptions& options, Validation& validation,
                             std::optional<TrainedModel> first, const FindTrainedModel& newest,
                             RunReport& report, const StopRequested& stop_requested) {
  const std::int64_t interval = options.evaluation.interval_seconds;
  std::string scored;
  std::optional<TrainedModel> model = std::move(first);
  while (!stop_requested()) {
    if (!model) report.observer().no_checkpoint(options.checkpoints.train_dir);
    if (model && model->name != scored) {
      score_model(*model, options, validation, report, stop_requested);
      scored = model->name;
    }
    if (interval == 0) return;
    model.reset();  // it may be large, and the wait long
    sleep_unless_stopped(interval, stop_requested);
    if (!stop_requested()) model = newest();
  }
}

}  // namespace convoy::job
