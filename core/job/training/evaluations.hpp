#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>

#include "core/job/setup.hpp"
#include "core/job/tasks/task.hpp"
#include "core/job/training/run_report.hpp"
#include "core/job/training/validation.hpp"
#include "core/runtime/training_loop.hpp"
#include "core/train/evaluation_schedule.hpp"

namespace convoy::job {

// Whether the user asked to end.
using StopRequested = std::function<bool()>;

// The evaluations of a run that also trains: when they are due, what they print, and whether the
// target is reached. Training must stand still meanwhile; nothing of it changes. Of several tasks
// the chief evaluates and the others wait for what it finds.
class TrainingEvaluations {
 public:
  // training_examples make an epoch; sizes are those of training; `validation` is null where
  // another task evaluates.
  TrainingEvaluations(const Setup& setup, const Sizes& sizes, Validation* validation,
                      std::int64_t training_examples, std::int64_t global_batch, RunReport& report,
                      StopRequested stop_requested);

  // Whether an evaluation is due by this step; for workers that do not wait for each other, which
  // pause later than they want to.
  bool wants(const runtime::PausePoint& point);
  // Whether training pauses after this step. Never after the last one: final() follows it. An
  // evaluation that fell on a step before, of which nobody asked, is due, too.
  bool due(const runtime::PausePoint& point);
  // Evaluates; false when the target is reached and training ends. If the evaluation fails,
  // training ends, too, so that all tasks can save together what was trained; final() gives the
  // error.
  bool pause(const runtime::PausePoint& point, const runtime::Session& session);
  // The evaluation after the last step, unless the target was reached or the user asked to end.
  // Throws what an evaluation failed with.
  void final(const runtime::TrainingSummary& summary, const runtime::Session& session);
  double seconds() const { return seconds_; }  // spent in all evaluations

 private:
  std::int64_t first_due(std::int64_t until) const;
  void evaluate(const runtime::PausePoint& point, const runtime::Session& session, bool is_last);
  runtime::Evaluation score(const runtime::PausePoint& point, const runtime::ModelValues& values);
  enum class Outcome { kGoesOn, kReached, kFailed };
  Outcome try_score(const runtime::PausePoint& point, const runtime::ModelValues& values,
                    bool is_last);
  // The chief's, for all tasks.
  Outcome agreed(Outcome own, const runtime::PausePoint& point);

  Task* task_;              // null: a run of one process
  Validation* validation_;  // null: another task evaluates
  train::EvaluationSchedule schedule_;
  std::int64_t last_step_;
  std::int64_t asked_ = 0;  // nothing is due until here
  std::optional<double> target_;
  Outcome outcome_ = Outcome::kGoesOn;  // of the last one
  std::exception_ptr failure_;          // of the evaluation that failed here
  std::int64_t display_every_;
  RunReport& report_;
  StopRequested stop_requested_;
  double seconds_ = 0;
};

// Names the flags about evaluations that are given although nothing is evaluated so; empty if none.
std::string unused_evaluation_flags(const EvaluationOptions& options);

// What a checkpoint holds, as far as evaluating needs it.
struct TrainedModel {
  std::string name;  // the file's
  std::string path;
  std::int64_t global_step = 0;
  runtime::ModelValues values;
};

// Gives the newest model that there is, nothing when there is none.
using FindTrainedModel = std::function<std::optional<TrainedModel>()>;

// --eval, before anything is prepared that takes long to begin or to end: the newest model. Error
// kFailed naming train_dir when there is none, unless an interval says how often to look again.
std::optional<TrainedModel> first_trained_model(const JobOptions& options,
                                                const FindTrainedModel& newest);

// Scores that model, and with an interval every newer one until the user asks to end.
void evaluate_trained_models(const JobOptions& options, Validation& validation,
                             std::optional<TrainedModel> first, const FindTrainedModel& newest,
                             RunReport& report, const StopRequested& stop_requested);

}  // namespace convoy::job
