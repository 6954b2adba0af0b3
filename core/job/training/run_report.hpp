#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/job/setup.hpp"
#include "core/job/sizes.hpp"
#include "core/job/tasks/task_trace.hpp"
#include "core/job/training/median_step.hpp"
#include "core/report/drift_monitor.hpp"
#include "core/report/run_observer.hpp"
#include "core/report/run_record.hpp"
#include "core/report/speed_statistics.hpp"
#include "core/report/trace.hpp"
#include "core/runtime/evaluator.hpp"
#include "core/runtime/session.hpp"
#include "core/runtime/training_loop.hpp"

namespace convoy::job {

// The output of one run: messages to its observer, the record for --output_file and the trace for
// --trace_file. Files are written by finish(), which also a failed or interrupted run reaches.
class RunReport {
 public:
  // arguments: the command line, for the record; empty without one. devices: of this task.
  RunReport(std::span<const std::string> arguments, const Setup& setup, const Sizes& sizes,
            std::uint32_t devices, report::RunObserver& observer);

  const report::RunRecord& record() const { return record_; }
  // Prints the lines before the model is built.
  // most_epochs: where the last batch is filled up with images that do not count.
  void header(std::uint32_t devices, std::int64_t examples_per_epoch,
              std::optional<double> most_epochs = {});
  // Notes the devices for the record.
  void describe(const runtime::Session& session);
  // The setup has another decision and strategy, before there is a session.
  void take_decision();
  // The session has another plan than when it was described, or the setup another decision.
  void take_plan(const runtime::Session& session);
  void warmup_step(const TrainingStep& step);
  void timed_step(const TrainingStep& step);
  // What to tell the user when the step times, with the last one, have left the prediction of a
  // calibrated machine; once. Empty otherwise.
  std::string drift_notice(const TrainingStep& step);
  // The median step beside the predicted one; empty without a prediction.
  std::string prediction_line() const;
  // Adds the step's operations to the trace.
  void trace(const runtime::Session& session, const runtime::StepTrace& step);
  bool traced() const { return !trace_.events.empty(); }
  const std::vector<report::TraceEvent>& own_trace() const { return trace_.events; }
  // Adds the operations of all tasks instead of this one's.
  void trace(CommonTrace trace) { trace_ = std::move(trace); }
  std::string trace_notice() const { return job::trace_notice(trace_); }
  // Whether the record is to have this timed step's operations, as far as is known so far.
  bool wants_timeline_of(const TrainingStep& step) { return median_step_.is_nearer(step.seconds); }
  void keep_timeline(runtime::StepTrace step) { median_step_.keep(std::move(step)); }
  // The session's operations of the step that was kept, if any.
  void timeline(const runtime::Session& session);
  void prediction(std::optional<report::PredictionRecord> prediction) {
    record_.prediction = std::move(prediction);
  }
  void checkpoint(const report::CheckpointRecord& checkpoint) {
    record_.checkpoints.push_back(checkpoint);
  }
  // The run pauses after this timed step.
  void standstill(std::int64_t step) { record_.standstills.push_back(step); }
  void tasks(std::vector<report::TaskRecord> tasks) { record_.tasks = std::move(tasks); }
  // Notes it for the record and prints it.
  void profile(const report::ProfileRecord& profile);
  // Prints the result of an evaluation and notes it for the record. checkpoint: the file, if any.
  void evaluation(const runtime::Evaluation& evaluation, const runtime::PausePoint& after,
                  const std::string& checkpoint);
  // Prints the speed of a run that only evaluates, whose total it is.
  void evaluation_total(const runtime::Evaluation& evaluation);
  // Prints the total, unless evaluations interrupted the steps, and completes the record.
  // paused_seconds: part of the summary's that belongs to no step.
  void total(const runtime::TrainingSummary& summary, double paused_seconds = 0);
  // Notes the readings of the GPUs' sensors during the timed steps for the record, and prints them
  // if they are known. Before finish(), also of a run that fails.
  void gpus(std::vector<GpuReadings> gpus) { record_.gpus = std::move(gpus); }
  void gpus_line();
  // Says for real data whether the input kept up; after the last line of the published format.
  void input_verdict();
  // A step of --input_only, and the result of all its steps.
  void input_step(std::int64_t step, double seconds);
  void input_total(const report::InputSpeed& speed);
  // The other tasks of the run, for the record and in a line.
  void peers(std::vector<PeerRecord> peers);
  // Whether the hash of the trained parameters is wanted. Reading all parameters takes time.
  bool shows_parameter_hash() const;
  // Notes the hash of the trained parameters and prints it when that is wanted.
  void parameters(const std::string& hash);
  // For the record and for people; nothing when it is empty.
  void tell(const std::string& notice);
  // Writes the files. error is empty unless the run failed.
  void finish(int exit_status, bool interrupted, const std::string& error);

 private:
  std::vector<std::pair<std::string, std::string>> strategy_details() const;
  void note_plan(const runtime::Session& session);
  void note_strategy(const StrategyPlugin& strategy);
  void note_selection(const select::Decision& decision);
  bool prints_parameter_hash() const;
  std::string progress_text(const char* of, std::int64_t step) const;
  void note_memory(const runtime::Session& session);
  void tell_details(const runtime::Session& session);
  void write_files() const;

  const Setup& setup_;
  const Sizes& sizes_;
  std::int64_t own_batch_;        // images per step of this task
  std::int64_t global_batch_;     // of all tasks
  std::int64_t own_workers_ = 1;  // of this task that take steps of their own
  report::RunObserver& observer_;
  report::SpeedStatistics statistics_;
  report::RunRecord record_;
  CommonTrace trace_;  // before the end of this task alone
  MedianStep median_step_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::optional<report::DriftMonitor> drift_;
};

}  // namespace convoy::job
