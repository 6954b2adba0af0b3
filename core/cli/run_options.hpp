#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/cli/checkpoint_options.hpp"
#include "core/cli/evaluation_options.hpp"
#include "core/cli/flag_parser.hpp"
#include "core/plan/guard.hpp"
#include "core/plugin/device_choice.hpp"
#include "core/train/learning_rate.hpp"
#include "core/train/optimizer.hpp"

namespace convoy {

// The device plug-in whose devices --num_gpus counts; --device=gpu is another name of it.
inline constexpr const char* kGpuDevices = "cuda";

// How --variable_update=auto chooses.
enum class AutoMode {
  kCached,    // as an earlier run in the same circumstances did, else by simulation
  kSimulate,  // by simulation
  kMeasure,   // by simulation, then by trying the best while training
  kRule       // by rule of thumb
};

enum class InitializerChoice {
  kDefault,  // the layers' rules
  kHash,     // a fixed fill, for comparing programs
};

// What `convoy run` was asked for, typed and checked. Unset optionals and empty texts leave the
// choice to the model, the data or the machine, as each comment says.
struct RunOptions {
  std::string model;
  std::optional<std::uint32_t> batch_size;  // per device; unset: the model's default
  std::optional<std::int64_t> num_batches;
  std::optional<double> num_epochs;
  std::int64_t num_warmup_batches = 0;

  std::string device = kAnyDevice;           // a plug-in's name or path, or kAnyDevice
  std::optional<std::uint32_t> num_devices;  // unset: all of the chosen kind
  std::vector<std::int64_t> device_order;    // device numbers; empty: 0, 1, 2 ...
  std::uint32_t threads_per_device = 0;      // CPU devices; 0: share the cores evenly
  bool half = false;                         // compute in the devices' 16-bit type

  std::string data_dir;  // empty: synthetic data
  std::string data_name;
  std::string data_format;
  std::string resize_method;
  std::string on_bad_record;
  bool distortions = false;
  bool distort_in_yiq = true;
  bool input_only = false;  // no devices: measures how fast the input is
  bool cache_records = false;
  bool repeat_one_record = false;
  std::optional<int> input_threads;  // unset: the cores that do not compute
  int prefetch_depth = 0;            // batches per device

  std::string variable_update;  // a strategy's name or "auto"
  AutoMode auto_mode = AutoMode::kCached;
  bool auto_inexact = false;  // auto may take what is not a synchronous step
  std::optional<bool> use_nccl;
  double bucket_mb = 0;                    // 2^20 bytes; 0: one bucket
  std::uint64_t bucket_elements() const {  // of f32
    const auto elements = static_cast<std::uint64_t>(bucket_mb * (1 << 20) / sizeof(float));
    return bucket_mb > 0 ? std::max(std::uint64_t{1}, elements) : 0;
  }
  OptimizerOptions optimizer;
  GuardOptions guard;
  LearningRateOptions learning_rate;
  EvaluationOptions evaluation;
  CheckpointOptions checkpoints;

  std::int64_t display_every = 0;
  std::optional<double> display_perf_ewma;
  std::string loss_type_to_report;
  bool print_training_accuracy = false;
  std::string output_file;
  std::string trace_file;
  bool profile = false;

  std::uint32_t seed = 0;
  InitializerChoice initializer = InitializerChoice::kDefault;
  bool dropout = true;
  bool winograd = true;
  bool deterministic = false;
  bool print_parameter_hash = false;  // implied by deterministic
  std::string plugin_path;
};

// Error(kUsage) when flags contradict each other.
RunOptions make_run_options(const ParsedFlags& flags);

}  // namespace convoy
