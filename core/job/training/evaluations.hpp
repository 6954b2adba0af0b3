#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>

#include "core/job/tasks/task.hpp"
#include "core/job/training/run_context.hpp"
#include "core/job/training/validation.hpp"
#include "core/runtime/training_loop.hpp"
#include "core/train/evaluation_schedule.hpp"

namespace convoy::job {

// The evaluations of a run that also trains: when they are due, what they print, and whether the
// target is reached. Training pauses during an evaluation, and none of its state changes. On
// several hosts, the chief evaluates and the others wait for its result. A run that continues from
// a checkpoint evaluates after the same updates as an uninterrupted one; if they fall into its
// warm-up, it evaluates after the first timed step.
class TrainingEvaluations {
 public:
  // training_examples: images per epoch. validation: null if another task evaluates.
  TrainingEvaluations(RunContext& run, Validation* validation, std::int64_t training_examples);

  // Returns whether an evaluation is due by this step. This is for workers that do not wait for
  // each other: they pause some steps after the request.
  bool wants(const runtime::PausePoint& point);
  // Returns whether training pauses after this step to evaluate. Returns false after the last step,
  // which final() follows. An evaluation of an earlier step for which due() was not called is due,
  // too.
  bool due(const runtime::PausePoint& point);
  // Evaluates. Returns false if the target is reached, so that training ends. If the evaluation
  // fails, training ends, too, so that all tasks can save together; final() then throws the error.
  bool pause(const runtime::PausePoint& point, const runtime::Session& session);
  // Makes the evaluation after the last step, unless the target was reached or the user asked to
  // end. Throws the error of an evaluation that failed in a pause.
  void final(const runtime::TrainingSummary& summary, const runtime::Session& session);
  double seconds() const { return seconds_; }  // time of all evaluations

 private:
  std::int64_t first_due(std::int64_t until) const;
  void evaluate(const runtime::PausePoint& point, const runtime::Session& session, bool is_last);
  runtime::Evaluation score(const runtime::PausePoint& point, const runtime::ModelValues& values);
  enum class Outcome { kGoesOn, kReached, kFailed };
  Outcome try_score(const runtime::PausePoint& point, const runtime::ModelValues& values,
                    bool is_last);
  // Returns the chief's outcome to all tasks.
  Outcome agreed(Outcome own, const runtime::PausePoint& point);

  RunContext& run_;
  Validation* validation_;  // null: another task evaluates
  train::EvaluationSchedule schedule_;
  // Timed steps of an uninterrupted run.
  std::int64_t done_steps_;  // those before this run's first timed step
  std::int64_t last_step_;
  std::int64_t asked_;                  // no evaluation is due any more up to this step
  Outcome outcome_ = Outcome::kGoesOn;  // outcome of the last evaluation
  std::exception_ptr failure_;          // error of the evaluation that failed here
  double seconds_ = 0;
};

// Returns the names of given flags about evaluations that have no effect in this run; empty if
// there are none.
std::string unused_evaluation_flags(const EvaluationOptions& options);

// The part of a checkpoint that an evaluation needs.
struct TrainedModel {
  std::string name;  // name of the file
  std::string path;
  std::int64_t global_step = 0;
  runtime::ModelValues values;
};

// Returns the newest model, or nothing if there is none.
using FindTrainedModel = std::function<std::optional<TrainedModel>()>;

// For --eval: returns the newest model, looked up before anything slow is prepared. Error kFailed
// naming train_dir if there is none, unless an interval says how often to look again.
std::optional<TrainedModel> first_trained_model(const JobOptions& options,
                                                const FindTrainedModel& newest);

// Evaluates that model, and with an interval every newer one until the user asks to end.
void evaluate_trained_models(RunContext& run, Validation& validation,
                             std::optional<TrainedModel> first, const FindTrainedModel& newest);

}  // namespace convoy::job
