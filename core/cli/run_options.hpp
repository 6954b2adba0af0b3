#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/cli/flag_values.hpp"
#include "core/train/learning_rate.hpp"
#include "core/train/optimizer.hpp"

namespace convoy {

enum class DeviceKind { kBest, kCpu, kCuda };
enum class InitializerChoice { kDefault, kHash };

// How long the timed part is. Exactly one is set.
struct RunLength {
  std::optional<std::int64_t> batches;
  std::optional<double> epochs;

  // Timed steps; an epoch that is not a whole number of steps is rounded up.
  std::int64_t steps(std::int64_t examples_per_epoch, std::int64_t global_batch) const;
};

struct InputOptions {
  std::optional<std::string> data_dir;  // none: synthetic
  std::optional<std::string> data_name;
  std::string resize_method;
  bool distortions = false;
  bool fuse_decode_and_crop = true;
  bool skip_bad_records = false;
  int threads = 0;  // 0: one per core
  int prefetch_depth = 2;
};

// `convoy run`'s flags with their types, after all checks that need nothing but the flags.
// Strategies' options stay in the FlagValues: they are strings for the plug-in.
struct RunOptions {
  std::string model;
  std::string strategy;  // "auto" or a name
  std::string plugin_path;

  DeviceKind device = DeviceKind::kBest;
  std::optional<int> num_devices;
  std::vector<int> device_indices;  // empty: the first ones in the machine's order
  std::optional<int> cpu_threads;
  std::optional<bool> use_nccl;  // maps to all_reduce_spec once the strategy is known
  std::string data_format;

  int batch_size = 0;  // per device; 0: the model's
  RunLength length;
  int num_warmup_batches = 10;
  int display_every = 10;
  std::optional<double> display_perf_ewma;
  std::string loss_type_to_report;
  bool print_training_accuracy = false;

  OptimizerRule optimizer;
  bool gradients_are_summed = false;  // --gradient_scale=sum
  LearningRateOptions learning_rate;

  InputOptions input;
  std::uint64_t seed = 1234;
  InitializerChoice initializer = InitializerChoice::kDefault;
  bool dropout = true;

  std::string output_file;  // empty: none
  std::string trace_file;
};

// Fails with kUsage for flags that contradict each other.
RunOptions run_options(const FlagValues& values);

}  // namespace convoy
