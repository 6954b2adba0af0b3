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

// Version of the written form. Fields are only added within a version.
constexpr int kRunRecordSchemaVersion = 1;

// A checkpoint during the timed steps.
struct CheckpointRecord {
  std::int64_t step = 0;  // the timed step that it followed
  double seconds = 0;     // that it took
};

// How one task of a run on several hosts spent its mean step.
struct TaskRecord {
  std::string task;  // "worker 1 (host7, pid 4711)"
  runtime::StepBreakdown step_breakdown;
  std::map<std::string, double> waited_for;  // seconds per step, by the other task
};

// Everything that one run reports.
struct RunRecord : JobResult {
  Environment environment;
  std::vector<std::string> command_line;
  std::map<std::string, std::string> flags;   // effective values, defaults included
  bool shows_base_loss = false;               // the loss of steps leaves out weight decay
  std::optional<select::Decision> selection;  // of --variable_update=auto
  // Median of the timed steps that ran what was selected, without those of a trial.
  std::optional<double> selected_step_seconds;
  std::optional<runtime::StepBreakdown> step_breakdown;  // of the timed steps, if there were any
  std::optional<ProfileRecord> profile;                  // with --profile
  std::optional<MemoryRecord> memory;                    // of runs with devices
  std::optional<std::vector<GpuReadings>> gpus;  // of runs on GPUs; empty: nobody could be asked
  std::optional<InputVerdict> input;             // of runs on real data
  std::optional<InputSpeed> input_only;          // of runs without devices
  std::vector<CheckpointRecord> checkpoints;     // written between timed steps
  std::vector<std::int64_t> standstills;         // timed steps behind which it stood still
  std::vector<TaskRecord> tasks;                 // of runs on several hosts
  std::optional<TimelineRecord> timeline;        // the step nearest to the median
  std::optional<PredictionRecord> prediction;    // of the plan that ran
  // Images of a step, where workers take steps of their own; 0: the global batch.
  double worker_batch = 0;

  // As it is reported.
  double loss(const TrainingStep& step) const {
    return shows_base_loss ? step.base_loss : step.total_loss;
  }
  double images_per_second(const TrainingStep& step) const {
    const double images = worker_batch > 0 ? worker_batch : static_cast<double>(global_batch);
    return images / step.seconds;
  }
  // By this task's devices; the total is that of all tasks.
  double own_images_per_second() const {
    const auto own = static_cast<double>(devices.size()) * static_cast<double>(batch_per_device);
    return global_batch > 0 ? total_images_per_second * own / static_cast<double>(global_batch) : 0;
  }
};

// The record as text. Numbers have full double precision; a number that is not finite is null in
// JSON and nan or inf in CSV.
std::string run_record_json(const RunRecord& record);  // one object, steps included
// One line per step, one per evaluation, then a summary.
std::string run_record_json_lines(const RunRecord& record);
// A title line, one line per step and, behind the step it followed, one per evaluation. Loss scales
// and gradients' norms have columns where the run reports them.
std::string run_record_csv(const RunRecord& record);

// Error(kUsage) unless the path ends in .json, .jsonl or .csv and its folder is writable.
void check_run_record_path(const std::filesystem::path& path);

// Writes the form that the suffix names.
void write_run_record(const RunRecord& record, const std::filesystem::path& path);

}  // namespace convoy::report
