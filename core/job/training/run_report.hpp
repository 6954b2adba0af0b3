#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/job/setup.hpp"
#include "core/job/sizes.hpp"
#include "core/report/drift_monitor.hpp"
#include "core/report/run_observer.hpp"
#include "core/report/run_record.hpp"
#include "core/report/speed_statistics.hpp"
#include "core/runtime/evaluator.hpp"
#include "core/runtime/session.hpp"
#include "core/runtime/training_loop.hpp"

namespace convoy::job {

// Fills in the record of one run and tells its observer what happens.
class RunReport {
 public:
  // arguments: the command line, for the record; empty without one. devices: the number of this
  // task's devices.
  RunReport(std::span<const std::string> arguments, const Setup& setup, const Sizes& sizes,
            std::uint32_t devices, report::RunRecord& record, report::RunObserver& observer);

  // Prints the lines before the model is built. most_epochs: set if the last batch is filled up
  // with images that do not count.
  void header(std::int64_t examples_per_epoch, std::optional<double> most_epochs = {});
  // Notes the devices for the record.
  void describe(const runtime::Session& session);
  // Called when the setup gets another decision and strategy before there is a session.
  void take_decision();
  // Called when the session gets another plan than when it was described, or the setup another
  // decision.
  void take_plan(const runtime::Session& session);
  void warmup_step(const TrainingStep& step);
  // Also tells the user, once, if step times differ from the prediction of a calibrated machine.
  void timed_step(const TrainingStep& step);
  // Adds the profile to the record and prints it.
  void profile(const report::ProfileRecord& profile);
  // Prints the result of an evaluation and adds it to the record. checkpoint: the file, if any.
  void evaluation(const runtime::Evaluation& evaluation, const runtime::PausePoint& after,
                  const std::string& checkpoint);
  // Prints the speed of a run that only evaluates. It is the total of such a run.
  void evaluation_total(const runtime::Evaluation& evaluation);
  // Notes the total and prints it, unless evaluations interrupted the steps. Also prints the values
  // of the GPUs' sensors and the prediction. paused_seconds: the part of the summary's time that
  // belongs to no step.
  void total(const runtime::TrainingSummary& summary, double paused_seconds = 0);
  // Says for real data whether the input kept up. The line comes after the last line of the
  // published format.
  void input_verdict();
  // Reports a step of --input_only, and the result of all its steps.
  void input_step(std::int64_t step, double seconds);
  void input_total(const report::InputSpeed& speed);
  // Adds the other tasks of the run to the record and prints them in a line.
  void peers(std::vector<PeerRecord> peers);
  // Returns whether the hash of the trained parameters is wanted. Reading all parameters takes
  // time.
  bool shows_parameter_hash() const;
  // Adds the hash of the trained parameters to the record and prints it if it is wanted.
  void parameters(const std::string& hash);
  // Adds a notice to the record and shows it to people. An empty one is ignored.
  void tell(const std::string& notice);
  // Completes the record. error is empty unless the run failed.
  void finish(int exit_status, bool interrupted, const std::string& error);

 private:
  std::vector<std::pair<std::string, std::string>> strategy_details() const;
  void note_plan(const runtime::Session& session);
  void note_strategy(const plugin::StrategyPlugin& strategy);
  void note_selection(const select::Decision& decision);
  bool prints_parameter_hash() const;
  std::string progress_text(const char* of, std::int64_t step) const;
  void note_memory(const runtime::Session& session);
  void tell_details(const runtime::Session& session);
  bool speaks_for_all() const;
  void tell_gpus();
  void total_of_failed_run();
  void extend_to_all_tasks(Speed& speed) const;
  std::optional<double> selected_step_seconds() const;
  std::string prediction_line() const;

  const Setup& setup_;
  const Sizes& sizes_;
  std::uint32_t devices_;         // number of this task's devices
  std::int64_t own_workers_ = 1;  // workers of this task that take steps of their own
  report::RunRecord& record_;
  report::RunObserver& observer_;
  report::SpeedStatistics statistics_;
  // Statistics of the steps since the session got another plan than its first.
  std::optional<report::SpeedStatistics> with_new_plan_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::optional<report::DriftMonitor> drift_;
};

}  // namespace convoy::job
