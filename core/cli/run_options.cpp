#include "core/cli/run_options.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>

#include "core/base/error.hpp"

namespace convoy {
namespace {

constexpr std::int64_t kDefaultBatches = 100;
constexpr std::int64_t kDefaultWarmup = 10;

int small_integer(std::string_view name, std::int64_t value) {
  if (value > std::numeric_limits<int>::max()) {
    fail(ExitCode::kUsage, "--{}={}: it must be at most {}", name, value,
         std::numeric_limits<int>::max());
  }
  return static_cast<int>(value);
}

int small_integer(const FlagValues& values, std::string_view name) {
  return small_integer(name, values.integer(name));
}

std::optional<int> optional_small_integer(const FlagValues& values, std::string_view name) {
  const auto value = values.optional_integer(name);
  return value ? std::optional(small_integer(name, *value)) : std::nullopt;
}

std::vector<int> parse_indices(const std::string& list) {
  std::vector<int> indices;
  std::string_view rest = list;
  while (!rest.empty()) {
    const auto comma = std::min(rest.find(','), rest.size());
    const std::string_view part = rest.substr(0, comma);
    int index = -1;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
    if (error != std::errc{} || end != part.data() + part.size() || index < 0) {
      fail(ExitCode::kUsage, "--gpu_indices={}: '{}' is not the index of a device; write 0,1,2",
           list, part);
    }
    if (std::ranges::find(indices, index) != indices.end()) {
      fail(ExitCode::kUsage, "--gpu_indices={}: device {} appears twice", list, index);
    }
    indices.push_back(index);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return indices;
}

void read_devices(const FlagValues& values, RunOptions& options) {
  const auto gpus = optional_small_integer(values, "num_gpus");
  const auto devices = optional_small_integer(values, "num_devices");
  if (gpus && devices && *gpus != *devices) {
    fail(ExitCode::kUsage, "--num_gpus={} contradicts --num_devices={}; give one of them", *gpus,
         *devices);
  }
  options.num_devices = devices ? devices : gpus;
  if (const auto kind = values.optional_text("device")) {
    options.device = *kind == "cpu" ? DeviceKind::kCpu : DeviceKind::kCuda;
  } else if (gpus) {
    options.device = DeviceKind::kCuda;
  }
  options.device_indices = parse_indices(values.text("gpu_indices"));
  const int listed = static_cast<int>(options.device_indices.size());
  if (listed > 0 && options.num_devices && listed < *options.num_devices) {
    fail(ExitCode::kUsage, "--gpu_indices={} lists {} devices, but {} are asked for",
         values.text("gpu_indices"), listed, *options.num_devices);
  }
  options.cpu_threads = optional_small_integer(values, "num_intra_threads");
  if (options.cpu_threads == 0) options.cpu_threads.reset();
  options.use_nccl = values.optional_boolean("use_nccl");
  options.data_format = values.text("data_format");
}

void read_length(const FlagValues& values, RunOptions& options) {
  options.batch_size = small_integer(values, "batch_size");
  options.length.batches = values.optional_integer("num_batches");
  options.length.epochs = values.optional_number("num_epochs");
  if (options.length.epochs == 0) options.length.epochs.reset();
  if (options.length.batches && options.length.epochs) {
    fail(ExitCode::kUsage, "--num_batches={} and --num_epochs={} both set the length; give one",
         *options.length.batches, *options.length.epochs);
  }
  if (!options.length.epochs && !options.length.batches) options.length.batches = kDefaultBatches;

  const std::int64_t trials = values.optional_integer("autotune_threshold").value_or(1);
  const std::int64_t warmup = std::max(kDefaultWarmup, 5 * trials * trials);
  options.num_warmup_batches = small_integer(
      "num_warmup_batches", values.optional_integer("num_warmup_batches").value_or(warmup));
  options.display_every = small_integer(values, "display_every");
  options.display_perf_ewma = values.optional_number("display_perf_ewma");
  options.loss_type_to_report = values.text("loss_type_to_report");
  options.print_training_accuracy = values.boolean("print_training_accuracy");
}

void read_optimizer(const FlagValues& values, RunOptions& options) {
  options.optimizer = {.kind = parse_optimizer(values.text("optimizer")),
                       .momentum = values.number("momentum"),
                       .rmsprop_decay = values.number("rmsprop_decay"),
                       .rmsprop_momentum = values.number("rmsprop_momentum"),
                       .rmsprop_epsilon = values.number("rmsprop_epsilon"),
                       .adam_beta1 = values.number("adam_beta1"),
                       .adam_beta2 = values.number("adam_beta2"),
                       .adam_epsilon = values.number("adam_epsilon"),
                       .weight_decay = values.number("weight_decay"),
                       .gradient_clip = values.optional_number("gradient_clip")};
  options.gradients_are_summed = values.text("gradient_scale") == "sum";
  options.learning_rate = {
      .init_learning_rate = values.optional_number("init_learning_rate"),
      .piecewise_schedule = values.optional_text("piecewise_learning_rate_schedule"),
      .num_epochs_per_decay = values.optional_number("num_epochs_per_decay"),
      .decay_factor = values.optional_number("learning_rate_decay_factor"),
      .minimum = values.optional_number("minimum_learning_rate"),
      .warmup_epochs = values.optional_number("num_learning_rate_warmup_epochs"),
      .resnet_base_rate = values.optional_number("resnet_base_lr")};
  validate(options.learning_rate);
}

void read_input(const FlagValues& values, RunOptions& options) {
  InputOptions& input = options.input;
  input.data_dir = values.optional_text("data_dir");
  if (input.data_dir && input.data_dir->empty()) input.data_dir.reset();
  input.data_name = values.optional_text("data_name");
  if (input.data_name && input.data_name->empty()) input.data_name.reset();
  input.resize_method = values.text("resize_method");
  input.distortions = values.boolean("distortions");
  input.fuse_decode_and_crop = values.boolean("fuse_decode_and_crop");
  input.skip_bad_records = values.text("on_bad_record") == "skip";
  input.threads = small_integer(values, "datasets_num_private_threads");
  input.prefetch_depth = small_integer(values, "datasets_prefetch_buffer_size");
}

}  // namespace

std::int64_t RunLength::steps(std::int64_t examples_per_epoch, std::int64_t global_batch) const {
  if (batches) return *batches;
  CONVOY_CHECK(epochs.has_value() && global_batch > 0);
  const auto examples = static_cast<std::int64_t>(
      *epochs * static_cast<double>(examples_per_epoch) + static_cast<double>(global_batch) - 1);
  return examples / global_batch;
}

RunOptions run_options(const FlagValues& values) {
  RunOptions options;
  options.model = values.text("model");
  options.strategy = values.text("variable_update");
  options.plugin_path = values.text("plugin_path");
  read_devices(values, options);
  read_length(values, options);
  read_optimizer(values, options);
  read_input(values, options);
  options.seed = static_cast<std::uint64_t>(values.integer("tf_random_seed"));
  options.initializer =
      values.text("initializer") == "hash" ? InitializerChoice::kHash : InitializerChoice::kDefault;
  options.dropout = values.boolean("dropout");
  options.output_file = values.text("output_file");
  options.trace_file = values.text("trace_file");
  return options;
}

}  // namespace convoy
