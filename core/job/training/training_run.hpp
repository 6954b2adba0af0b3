#pragma once

#include <memory>
#include <optional>

#include "core/job/auto/auto_trial.hpp"
#include "core/job/training/checkpoints.hpp"
#include "core/job/training/evaluations.hpp"
#include "core/job/training/gpu_watch.hpp"
#include "core/job/training/profile_collector.hpp"
#include "core/job/training/run_context.hpp"
#include "core/job/training/run_prediction.hpp"
#include "core/job/training/training_pauses.hpp"
#include "core/network/messages.hpp"
#include "core/runtime/training_loop.hpp"

namespace convoy::job {

// A run that trains, or with --forward_only computes forward: opens devices and session, restores a
// checkpoint, takes all steps and concludes.
class TrainingRun {
 public:
  explicit TrainingRun(RunContext& run) : run_(run) {}

  // To be called once. If it throws, call note_gpus().
  void train();
  // Stops watching the GPUs and notes the values of their sensors, even for a run that has failed.
  void note_gpus();
  // Returns the interruption of one task that has stopped all, on several hosts; empty: there was
  // none.
  const std::optional<network::Interruption>& stop() const { return stop_; }

 private:
  bool wants_prediction() const;
  void predict();
  void link(const std::shared_ptr<runtime::OpenDevices>& devices);
  std::unique_ptr<runtime::Session> open_session(
      std::shared_ptr<runtime::OpenDevices> devices) const;
  std::unique_ptr<runtime::Session> new_session(
      std::shared_ptr<runtime::OpenDevices> devices) const;
  void check_asynchronous(const runtime::Session& session) const;
  std::int64_t examples_per_epoch(const data::BatchSource& source) const;
  void begin_trial(runtime::Session& session);
  void prepare_evaluations(std::int64_t training_examples);
  void generating_model();
  runtime::TrainingEvents events(runtime::Session& session);
  runtime::TrainingSummary run_steps(runtime::Session& session, data::BatchSource& source,
                                     std::int64_t examples);
  void conclude(const runtime::TrainingSummary& summary, runtime::Session& session,
                const data::BatchSource& source);
  void report_profile(const runtime::TrainingSummary& summary);
  void finish_task(const runtime::TrainingSummary& summary);

  RunContext& run_;
  std::unique_ptr<AutoTrial> trial_;
  std::unique_ptr<Validation> validation_;
  std::unique_ptr<TrainingEvaluations> evaluations_;
  std::unique_ptr<ProfileCollector> profile_;
  std::unique_ptr<GpuWatch> gpus_;
  std::optional<RunPrediction> prediction_;
  std::optional<network::Interruption> stop_;
  std::unique_ptr<Checkpoints> checkpoints_;
  std::unique_ptr<TrainingPauses> pauses_;
};

}  // namespace convoy::job
