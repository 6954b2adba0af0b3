#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/report/console.hpp"
#include "core/report/environment.hpp"
#include "core/report/gpu_record.hpp"
#include "core/report/input_verdict.hpp"
#include "core/report/memory_record.hpp"
#include "core/report/profile_record.hpp"
#include "core/report/selection_record.hpp"
#include "core/report/speed_statistics.hpp"

namespace convoy {

// Version of the written form. Fields are only added within a version.
constexpr int kRunRecordSchemaVersion = 1;

struct DeviceRecord {
  std::string name;  // "cpu:0"
  std::string kind;  // name of the device plug-in
  std::string model;
  std::string locality;
  std::uint32_t threads = 0;       // CPU devices
  std::uint64_t memory_bytes = 0;  // 0 = unknown
};

struct StepRecord {
  std::int64_t step = 0;  // timed steps count from 1
  double seconds = 0;
  double images_per_second = 0;
  double loss = 0;
  double learning_rate = 0;
  double input_wait_seconds = 0;  // part of seconds spent waiting for input
  std::optional<Accuracy> accuracy;
  std::optional<double> loss_scale;
  std::optional<double> gradient_norm;  // of all variables
  std::vector<double> gradient_norms;   // per name in RunRecord::gradient_names
};

// One pass over validation data.
struct EvaluationRecord {
  // During training the timed steps before it, counted from 1; else the checkpoint's global step.
  std::int64_t step = 0;
  std::int64_t global_step = 0;
  Accuracy accuracy;
  std::int64_t examples = 0;
  double seconds = 0;
  double examples_per_second = 0;
  std::string checkpoint;  // the file that was scored; empty during training
};

// Everything that one run reports.
struct RunRecord {
  Environment environment;
  std::vector<std::string> command_line;
  std::map<std::string, std::string> flags;  // effective values, defaults included
  std::string model;
  std::string dataset;
  bool synthetic_data = true;
  std::string mode = "training";  // as the header of the run says
  std::string strategy;
  std::map<std::string, std::string> strategy_options;
  std::string strategy_verdict;              // what the checker proved, for example "synchronous"
  std::string plan_hash;                     // of the lowered plan; empty: nothing was planned
  std::optional<SelectionRecord> selection;  // of --variable_update=auto
  std::string optimizer;
  std::string compute_dtype = "f32";  // of activations and operands: "f32", "bf16" or "f16"
  std::vector<DeviceRecord> devices;
  std::int64_t batch_per_device = 0;
  std::int64_t global_batch = 0;
  std::int64_t parameters = 0;
  std::int64_t warmup_steps = 0;
  std::vector<std::string> gradient_names;  // variables whose gradients' norms steps report
  std::vector<StepRecord> steps;
  std::vector<EvaluationRecord> evaluations;
  double total_seconds = 0;
  double total_images_per_second = 0;
  Speed speed;
  StepTimes step_times;
  std::optional<BreakdownRecord> step_breakdown;  // of the timed steps, if there were any
  std::optional<ProfileRecord> profile;           // with --profile
  std::optional<MemoryRecord> memory;             // of runs with devices
  std::optional<GpusRecord> gpus;                 // of runs on GPUs
  std::optional<InputVerdict> input;              // of runs on real data
  std::optional<InputSpeed> input_only;           // of runs without devices
  std::string parameter_hash;  // of the trained parameters; empty when the run failed
  std::vector<std::string> notices;
  int exit_status = 0;
  bool interrupted = false;
  std::string error;  // why the run failed; empty when it did not
};

// The record as text. Numbers have full double precision; a number that is not finite is null in
// JSON and nan or inf in CSV.
std::string run_record_json(const RunRecord& record);  // one object, steps included
// One line per step, one per evaluation, then a summary.
std::string run_record_json_lines(const RunRecord& record);
// A title line, one line per step and, behind the step it followed, one per evaluation.
std::string run_record_csv(const RunRecord& record);

// Error(kUsage) unless the path ends in .json, .jsonl or .csv and its folder is writable.
void check_run_record_path(const std::filesystem::path& path);

// Writes the form that the suffix names.
void write_run_record(const RunRecord& record, const std::filesystem::path& path);

}  // namespace convoy
