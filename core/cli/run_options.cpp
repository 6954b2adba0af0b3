#include "core/cli/run_options.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "core/base/error.hpp"
#include "core/cli/run_guard.hpp"
#include "core/train/run_length.hpp"

namespace convoy {
namespace {

std::vector<std::int64_t> parse_indices(const std::string& text) {
  std::vector<std::int64_t> indices;
  const char* position = text.data();
  const char* const end = position + text.size();
  while (position != end) {
    std::int64_t index = -1;
    const auto [after, error] = std::from_chars(position, end, index);
    const bool separated = after == end || (*after == ',' && after + 1 != end);
    if (error != std::errc() || index < 0 || !separated) {
      fail(ExitCode::kUsage, "--gpu_indices={}: it must be device numbers with commas: 0,2,1,3",
           text);
    }
    indices.push_back(index);
    position = after == end ? end : after + 1;
  }
  return indices;
}

void read_length(const ParsedFlags& flags, RunOptions& options) {
  options.model = flags.text("model");
  const auto batch = flags.integer_as<std::uint32_t>("batch_size");
  if (batch > 0) options.batch_size = batch;
  options.num_batches = flags.optional_integer("num_batches");
  options.num_epochs = flags.optional_number("num_epochs");
  options.num_warmup_batches =
      flags.optional_integer("num_warmup_batches").value_or(kDefaultWarmupSteps);
  if (options.num_batches && options.num_epochs) {
    fail(ExitCode::kUsage, "--num_batches={} and --num_epochs={}: give one of them, not both",
         *options.num_batches, *options.num_epochs);
  }
  if (options.num_epochs && *options.num_epochs <= 0) {
    fail(ExitCode::kUsage, "--num_epochs={}: it must be above 0", *options.num_epochs);
  }
}

void check_device_counts(const RunOptions& options, const ParsedFlags& flags) {
  const auto devices = flags.optional_integer("num_devices");
  const auto gpus = flags.optional_integer("num_gpus");
  if (devices && gpus && *devices != *gpus) {
    fail(ExitCode::kUsage, "--num_devices={} and --num_gpus={}: give one of them", *devices, *gpus);
  }
  const auto listed = static_cast<std::int64_t>(options.device_order.size());
  if (listed > 0 && options.num_devices && *options.num_devices != listed) {
    fail(ExitCode::kUsage, "--gpu_indices={} lists {} devices, but {} are asked for",
         flags.text("gpu_indices"), listed, *options.num_devices);
  }
}

// Both flags are without effect here, but a command line that contradicts itself is a mistake.
void check_gpu_threads(const ParsedFlags& flags) {
  const std::int64_t threads = flags.integer("per_gpu_thread_count");
  if (threads == 0 || flags.text("gpu_thread_mode") != "global") return;
  fail(ExitCode::kUsage,
       "--per_gpu_thread_count={} and --gpu_thread_mode=global: in that mode GPUs have no threads "
       "of their own; leave out one of them",
       threads);
}

// Names are written in small letters; published command lines have capitals, too.
std::string device_name(std::string text) {
  if (text.find('/') != std::string::npos) return text;
  std::ranges::transform(text, text.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return text == "gpu" ? kGpuDevices : text;
}

void read_devices(const ParsedFlags& flags, RunOptions& options) {
  const auto gpus = flags.optional_integer("num_gpus");
  options.device = device_name(flags.text("device"));
  // A number of GPUs without a kind of device asks for GPUs.
  if (options.device == kAnyDevice && gpus) options.device = kGpuDevices;
  options.num_devices = flags.optional_integer_as<std::uint32_t>(gpus ? "num_gpus" : "num_devices");
  options.device_order = parse_indices(flags.text("gpu_indices"));
  options.threads_per_device = flags.integer_as<std::uint32_t>("num_intra_threads");
  options.half = flags.boolean("use_fp16");
  check_device_counts(options, flags);
  check_gpu_threads(flags);
}

AutoMode parse_auto_mode(const std::string& name) {
  if (name == "simulate") return AutoMode::kSimulate;
  if (name == "measure") return AutoMode::kMeasure;
  return name == "rule" ? AutoMode::kRule : AutoMode::kCached;
}

void read_data(const ParsedFlags& flags, RunOptions& options) {
  options.data_dir = flags.text("data_dir");
  options.data_name = flags.text("data_name");
  options.data_format = flags.text("data_format");
  options.resize_method = flags.text("resize_method");
  options.on_bad_record = flags.text("on_bad_record");
  options.distortions = flags.boolean("distortions");
  options.distort_in_yiq = flags.boolean("distort_color_in_yiq");
  options.input_only = flags.boolean("input_only");
  options.cache_records = flags.boolean("datasets_use_caching");
  options.repeat_one_record = flags.boolean("datasets_repeat_cached_sample");
  options.input_threads = flags.optional_integer_as<int>("datasets_num_private_threads");
  options.prefetch_depth = flags.integer_as<int>("datasets_prefetch_buffer_size");
}

OptimizerOptions read_optimizer(const ParsedFlags& flags) {
  OptimizerOptions options;
  options.kind = parse_optimizer_kind(flags.text("optimizer"));
  options.momentum = flags.number("momentum");
  options.rmsprop_decay = flags.number("rmsprop_decay");
  options.rmsprop_momentum = flags.number("rmsprop_momentum");
  options.rmsprop_epsilon = flags.number("rmsprop_epsilon");
  options.adam_beta1 = flags.number("adam_beta1");
  options.adam_beta2 = flags.number("adam_beta2");
  options.adam_epsilon = flags.number("adam_epsilon");
  options.weight_decay = flags.number("weight_decay");
  options.gradient_clip = flags.optional_number("gradient_clip");
  if (flags.text("gradient_scale") == "sum") options.gradient_scale = GradientScale::kSum;
  // Hyperparameters without meaning are found here, not after the devices are open.
  make_optimizer(options, 1);
  return options;
}

LearningRateOptions read_learning_rate(const ParsedFlags& flags) {
  LearningRateOptions options;
  options.init_learning_rate = flags.optional_number("init_learning_rate");
  options.piecewise_learning_rate_schedule = flags.text("piecewise_learning_rate_schedule");
  options.num_epochs_per_decay = flags.number("num_epochs_per_decay");
  options.learning_rate_decay_factor = flags.number("learning_rate_decay_factor");
  options.num_learning_rate_warmup_epochs = flags.number("num_learning_rate_warmup_epochs");
  options.minimum_learning_rate = flags.number("minimum_learning_rate");
  options.resnet_base_lr = flags.optional_number("resnet_base_lr");
  check_learning_rate_options(options);
  return options;
}

void read_reports(const ParsedFlags& flags, RunOptions& options) {
  options.display_every = flags.integer("display_every");
  options.display_perf_ewma = flags.optional_number("display_perf_ewma");
  options.loss_type_to_report = flags.text("loss_type_to_report");
  options.print_training_accuracy = flags.boolean("print_training_accuracy");
  options.output_file = flags.text("output_file");
  options.trace_file = flags.text("trace_file");
  options.profile = flags.boolean("profile");
}

}  // namespace

RunOptions make_run_options(const ParsedFlags& flags) {
  RunOptions options;
  read_length(flags, options);
  read_devices(flags, options);
  read_data(flags, options);
  options.variable_update = flags.text("variable_update");
  options.auto_mode = parse_auto_mode(flags.text("auto"));
  options.auto_inexact = flags.boolean("auto_inexact");
  options.use_nccl = flags.optional_boolean("use_nccl");
  options.bucket_mb = flags.number("bucket_mb");
  options.optimizer = read_optimizer(flags);
  options.guard = read_guard(flags);
  options.learning_rate = read_learning_rate(flags);
  options.evaluation = read_evaluation_options(flags);
  options.checkpoints = read_checkpoint_options(flags);
  read_reports(flags, options);
  options.seed = flags.integer_as<std::uint32_t>("tf_random_seed");
  if (flags.text("initializer") == "hash") options.initializer = InitializerChoice::kHash;
  options.dropout = flags.boolean("dropout");
  options.winograd = flags.boolean("winograd_nonfused");
  options.deterministic = flags.boolean("deterministic");
  options.print_parameter_hash = options.deterministic || flags.boolean("print_parameter_hash");
  options.plugin_path = flags.text("plugin_path");
  return options;
}

}  // namespace convoy
