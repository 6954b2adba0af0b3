#pragma once

#include <convoy/job_result.hpp>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/report/environment.hpp"
#include "core/report/gpu_record.hpp"
#include "core/report/input_verdict.hpp"
#include "core/report/memory_record.hpp"
#include "core/report/prediction_record.hpp"
#include "core/report/profile_record.hpp"
#include "core/select/decision.hpp"

namespace convoy::report {

// The version of the written form. Within a version, fields are only added.
constexpr int kRunRecordSchemaVersion = 1;

// A checkpoint during the timed steps.
struct CheckpointRecord {
  std::int64_t step = 0;  // the timed step before it
  double seconds = 0;     // duration of the checkpoint
};

// The time of a task's mean step, in a run on several hosts.
struct TaskRecord {
  std::string task;  // "worker 1 (host7, pid 4711)"
  runtime::StepBreakdown step_breakdown;
  std::map<std::string, double> waited_for;  // seconds per step, by the task that was waited for
};

// Everything that one run reports.
struct RunRecord : JobResult {
  Environment environment;
  std::vector<std::string> command_line;
  std::map<std::string, std::string> flags;   // effective values, defaults included
  bool computes_loss = true;                  // false with --forward_only
  bool shows_base_loss = false;               // the loss of steps excludes weight decay
  std::optional<select::Decision> selection;  // the decision of --variable_update=auto
  // Median of the timed steps with the selected plan, without the steps of a trial.
  std::optional<double> selected_step_seconds;
  std::optional<runtime::StepBreakdown> step_breakdown;  // for the timed steps, if there were any
  std::optional<ProfileRecord> profile;                  // with --profile
  std::optional<MemoryRecord> memory;                    // for runs with devices
  std::optional<std::vector<GpuReadings>> gpus;  // for runs on GPUs; empty: no GPU could be queried
  std::optional<InputVerdict> input;             // for runs on real data
  std::optional<InputSpeed> input_only;          // for runs without devices
  std::vector<CheckpointRecord> checkpoints;     // written between timed steps
  std::vector<std::int64_t> standstills;         // timed steps after which the run stood still
  std::vector<TaskRecord> tasks;                 // for runs on several hosts
  std::optional<TimelineRecord> timeline;        // the step whose time is closest to the median
  std::optional<PredictionRecord> prediction;    // for the plan that ran
  // Images per step if workers take steps of their own; 0: the global batch.
  double worker_batch = 0;

  // Returns the loss in the form that is reported; none if the run computes none.
  std::optional<double> loss(const TrainingStep& step) const {
    if (!computes_loss) return std::nullopt;
    return shows_base_loss ? step.base_loss : step.total_loss;
  }
  double images_per_second(const TrainingStep& step) const {
    const double images = worker_batch > 0 ? worker_batch : static_cast<double>(global_batch);
    return images / step.seconds;
  }
  // Returns the rate of this task's devices. The total is that of all tasks.
  double own_images_per_second() const {
    const auto own = static_cast<double>(devices.size()) * static_cast<double>(batch_per_device);
    return global_batch > 0 ? total_images_per_second * own / static_cast<double>(global_batch) : 0;
  }
};

// The record as text. Numbers have full double precision. A number that is not finite is null in
// JSON and nan or inf in CSV; the loss of a run that computes none is null and an empty cell.
std::string run_record_json(const RunRecord& record);  // one object, steps included
// Returns one line per step, one per evaluation, then a summary.
std::string run_record_json_lines(const RunRecord& record);
// Returns a title line, one line per step and, after the step it followed, one per evaluation. Loss
// scales and gradients' norms have columns if the run reports them.
std::string run_record_csv(const RunRecord& record);

// Error(kUsage) unless the path ends in .json, .jsonl or .csv and its folder is writable. Sweeps
// have the same forms.
void check_record_path(const std::filesystem::path& path);

// Writes the record in the form that the suffix names.
void write_run_record(const RunRecord& record, const std::filesystem::path& path);

}  // namespace convoy::report
