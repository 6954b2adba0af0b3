#include "core/cli/flags/run_flags.hpp"

#include <algorithm>
#include <cctype>

#include "core/base/text/split.hpp"
#include "core/cli/flags/bind.hpp"
#include "core/cli/flags/plugin_flags.hpp"
#include "core/job/options.hpp"
#include "core/plugin/device_choice.hpp"

namespace convoy::cli {
namespace {

using Flags = std::vector<FlagDefinition>;

FlagDefinition alias(std::string name, std::string of) {
  FlagDefinition flag;
  flag.name = std::move(name);
  flag.alias_of = std::move(of);
  return flag;
}

// Accepts "3", or the id (or its beginning) that the driver gives to a GPU or a slice of one (MIG).
bool names_device(std::string_view entry) {
  if (entry.starts_with("GPU-") || entry.starts_with("MIG-")) return entry.size() > 4;
  return !entry.empty() && entry.find_first_not_of("0123456789") == std::string_view::npos;
}

std::vector<std::string> parse_devices(const std::string& text) {
  if (text.empty()) return {};
  std::vector<std::string> devices = split(text, ',');
  for (const std::string& device : devices)
    if (!names_device(device))
      fail(ExitCode::kUsage,
           "--gpu_indices={}: '{}' is no device; write numbers or ids with commas between them: "
           "0,2,1,3 or GPU-8932f937,GPU-5c17aaaa",
           text, device);
  return devices;
}

Flags length_flags(JobOptions& options) {
  return {
      common(bind_flag("model", options.model, "Network to train; `convoy list` names them.")),
      common(bind_unset_by_zero(
          "batch_size", options.batch_size,
          "Images per device and step. 0 takes the model's default, or fewer on CPU "
          "devices where a step would take more than about 2 s.")),
      instead_of("num_epochs",
                 common(bind_option(
                     "num_batches", options.num_batches,
                     "Steps to time. Without this and num_epochs, 100, or fewer on CPU devices "
                     "where they would take more than about 40 s (at least 10)."))),
      instead_of("num_batches",
                 common(bind_option(
                     "num_epochs", options.num_epochs,
                     "Timed length in epochs. An epoch is a pass over the examples in "
                     "data_dir; with synthetic data it has the published number of examples "
                     "(imagenet 1281167, cifar10 50000)."))),
      bind_option(
          "num_warmup_batches", options.num_warmup_batches,
          "Steps before timing starts: 10, or 3 on CPU devices with slow steps. They train too."),
      custom_flag("flagfile", FlagType::kString, {}, {},  // expanded before flags are read
                  "A file with flags, one per line; lines that begin with '#' are comments. Every "
                  "flag may also be set by an environment variable: CONVOY_BATCH_SIZE=32."),
      common(custom_flag("help", FlagType::kBool, "false", {},
                         "Shows the common flags; --help=all shows every flag, --help=TOPIC the "
                         // Handled before flags are parsed.
                         "flags of a topic, --help=FLAG one flag.")),
  };
}

Flags device_flags(RunCommand& command) {
  JobOptions& options = command.options;
  return {
      common(bind_flag(
          "device", options.device,
          "Kind of device: the name of a device plug-in (`convoy list` shows the installed ones) "
          "or the path of its file (with a '/'). gpu is another name of cuda. auto takes the kind "
          "of the highest preference that has a device on this machine: accelerators before the "
          "host's processors.")),
      instead_of("num_gpus",
                 common(bind_option("num_devices", options.num_devices,
                                    "Devices to use, of the chosen kind; all when left out."))),
      instead_of(
          "num_devices",
          common(bind_flag("num_gpus", command.num_gpus, job::bounds_of("num_devices"),
                           "CUDA devices to use. With another --device, such as cpu, devices of "
                           "that kind; published command lines combine both."))),
      custom_flag(
          "gpu_indices", FlagType::kString, "",
          [&options](const std::string& text) { options.device_order = parse_devices(text); },
          "Devices by number or id, in the order of rings: 0,2,1,3. 0,0 = two replicas on one "
          "GPU. nvidia-smi -L and convoy topo print the ids; the beginning is enough: "
          "GPU-8932f937."),
      bind_option("num_intra_threads", options.threads_per_device,
                  "Threads of each CPU device; 0 shares the cores evenly. GPUs do not use it."),
      bind_flag("calibration_file", options.machine.calibration_file,
                "File with the measurements of `convoy calibrate`, for predictions about CPU "
                "devices; default: the file that this verb writes."),
      common(bind_flag(
          "use_fp16", options.half,
          "Computes in the devices' 16-bit type, which is bf16 on CPUs. Parameters, batch norm's "
          "statistics, the loss and updates stay in 32 bits.")),
  };
}

Flags data_flags(JobOptions& options) {
  return {
      common(bind_flag("data_dir", options.data_dir,
                       "Folder with the training data. Without it, data is synthetic.")),
      common(bind_flag(
          "data_name", options.data_name,
          "Data set, imagenet or cifar10. Without it, it is guessed from data_dir, or it is the "
          "model's. hash: a fixed fill, for comparing programs.")),
      bind_words("data_format", options.data_format,
                 {job::kDataFormats.begin(), job::kDataFormats.end()},
                 "Layout of activations, for the report only; devices choose their own."),
      bind_words("resize_method", options.resize_method,
                 {"bilinear", "nearest", "bicubic", "area", "round_robin"},
                 "How images are resized."),
      bind_flag("distortions", options.distortions,
                "Changes colours at random, besides cropping and flipping."),
      bind_flag("distort_color_in_yiq", options.distort_in_yiq,
                "Whether distortions change hue and saturation in the colour space YIQ (fast), or "
                "in HSV."),
      bind_flag("input_only", options.input_only,
                "Reads and prepares the images of data_dir as for training, without training, and "
                "reports images per second and core."),
      bind_flag("dump", options.dump_file,
                "With input_only: also writes the first batch to this file, .safetensors: tensors "
                "images (normalised, NCHW) and labels of all devices."),
      bind_words("on_bad_record", options.on_bad_record, {"fail", "skip"},
                 "What to do with a record that cannot be read or decoded."),
      bind_flag("datasets_use_caching", options.cache_records,
                "Keeps records in memory, undecoded, once read."),
      bind_flag("datasets_repeat_cached_sample", options.repeat_one_record,
                "Trains on the first record only, read once: measures input without reading."),
      bind_option("datasets_num_private_threads", options.input_threads,
                  "Threads that read and decode. Without it, one for each core that does not "
                  "compute."),
      alias("input_threads", "datasets_num_private_threads"),
      bind_option("datasets_prefetch_buffer_size", options.prefetch_depth,
                  "Batches per device prepared ahead."),
      alias("prefetch_depth", "datasets_prefetch_buffer_size"),
  };
}

Flags strategy_flags(JobOptions& options) {
  return {
      common(bind_flag(
          "variable_update", options.variable_update,
          "Strategy that shares variables and gradients; `convoy list` names them. auto takes the "
          "one that is fastest on this machine.")),
      common(bind_choice<AutoMode>(
          "auto", options.auto_mode,
          {{"cached", AutoMode::kCached},
           {"simulate", AutoMode::kSimulate},
           {"measure", AutoMode::kMeasure},
           {"rule", AutoMode::kRule}},
          "How auto chooses. simulate: simulates the variants of every installed strategy. "
          "cached: the same, but reuses the choice of an earlier run in the same circumstances. "
          "measure: also tries the best variants in the first steps of the training. rule: a rule "
          "of thumb.")),
      bind_flag("auto_inexact", options.auto_inexact,
                "Whether auto may also take strategies without a synchronous step: stale, "
                "asynchronous or lossy ones."),
      bind_choice<GradientScale>(
          "gradient_scale", options.optimizer.gradient_scale,
          {{"mean", GradientScale::kMean}, {"sum", GradientScale::kSum}},
          "How gradients of several devices are combined. sum multiplies the mean and the weight "
          "decay by the number of devices, as tf_cnn_benchmarks' replicated does."),
      bind_option("bucket_mb", options.bucket_mb,
                  "Size of the buckets in which gradients are exchanged, in MiB; 0 = one bucket.",
                  fmt::format("{}", job::kDefaultBucketMb)),
      bind_flag("use_nccl", options.use_nccl,
                "Old flag: whether replicated uses the devices' own all-reduce."),
      bind_option("images_per_sec", options.machine.images_per_second,
                  "Known training speed of one device in images per second. auto and the record's "
                  "prediction use it instead of the machine's rates."),
  };
}

Flags checkpoint_flags(CheckpointOptions& options) {
  return {
      common(bind_flag(
          "train_dir", options.train_dir,
          "Folder for checkpoints. Training continues from the newest one in it, and saves "
          "one at the end.")),
      instead_of("save_model_secs",
                 bind_option("save_model_steps", options.every_steps,
                             "Also save a checkpoint each time this many timed steps are done.")),
      instead_of("save_model_steps",
                 bind_unset_by_zero("save_model_secs", options.every_seconds,
                                    "Also save a checkpoint each time this many seconds have "
                                    "passed; 0 = off.")),
      bind_option("max_ckpts_to_keep", options.keep,
                  "Checkpoints to keep, the newest ones; 0 keeps all."),
      bind_choice<bool>(
          "on_save_error", options.continue_on_error, {{"stop", false}, {"continue", true}},
          "What to do when a checkpoint cannot be saved. Those saved before stay whole."),
      bind_flag("init_weights", options.init_weights,
                "Start from the weights in this safetensors file. A checkpoint in train_dir comes "
                "first."),
      bind_flag("weights_map", options.weights_map,
                "Map of the tensor names in init_weights: a JSON file, or a name from "
                "share/weights. Without it, the names are those of convoy's checkpoints."),
  };
}

Flags reproducibility_flags(JobOptions& options) {
  return {
      bind_flag("tf_random_seed", options.seed, Bounds{0, 4294967295.0},
                "Seed of initial values, order and augmentation of the data, synthetic and hash "
                "data, and dropout. The same seed on the same devices gives the same parameters."),
      alias("seed", "tf_random_seed"),
      bind_choice<InitializerChoice>(
          "initializer", options.initializer,
          {{"default", InitializerChoice::kDefault}, {"hash", InitializerChoice::kHash}},
          "Initial values: the layers' rules, or a fixed fill for comparing programs."),
      bind_flag("dropout", options.dropout, "Whether dropout layers are active."),
      bind_flag("winograd_nonfused", options.winograd,
                "Whether devices may compute 3x3 and 5x5 convolutions by Winograd's algorithm, "
                "which needs fewer multiplications and rounds differently. false: by definition."),
      bind_flag("deterministic", options.deterministic,
                "Guarantees that the same seed on the same devices gives the same parameters, bit "
                "for bit, and prints their hash at the end. Strategies and devices that cannot "
                "guarantee this are refused. Synchronous strategies on CPU devices give the same "
                "bits without this flag."),
      bind_flag("print_parameter_hash", options.print_parameter_hash,
                "Print a hash of the trained parameters at the end (XXH3, 128 bits)."),
      bind_flag("plugin_path", options.plugin_path,
                "Folders with plug-ins, separated by colons, searched first."),
      bind_option("plugin_timeout", options.plugin_timeout,
                  "Time limit in seconds for a third-party plug-in to open or to plan. convoy "
                  "tries both in a separate process first and names a plug-in that hangs or "
                  "crashes there; auto continues without it. During the run, the limit applies to "
                  "kernels and to calls that must return at once; a run that exceeds it ends."),
  };
}

// Names are in lower case, but published command lines also have capitals.
std::string device_name(std::string text) {
  if (text.find('/') != std::string::npos) return text;
  std::ranges::transform(text, text.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return text == "gpu" ? plugin::kGpuDevices : text;
}

void complete_devices(RunCommand& command, const ParsedFlags& flags) {
  JobOptions& options = command.options;
  const std::optional<std::uint32_t> gpus = command.num_gpus;
  options.device = device_name(options.device);
  // A number of GPUs without a kind of device requests GPUs.
  if (options.device == plugin::kAnyDevice && gpus) options.device = plugin::kGpuDevices;
  if (options.num_devices && gpus && *options.num_devices != *gpus)
    fail(ExitCode::kUsage, "--num_devices={} and --num_gpus={}: give one of them",
         *options.num_devices, *gpus);
  if (gpus) options.num_devices = gpus;
  const auto listed = options.device_order.size();
  if (listed > 0 && options.num_devices && *options.num_devices != listed)
    fail(ExitCode::kUsage, "--gpu_indices={} lists {} devices, and the number asked for is {}",
         flags.value("gpu_indices"), listed, *options.num_devices);
}

// Both flags have no effect here, but a command line that contradicts itself is a mistake.
void check_gpu_threads(const ParsedFlags& flags) {
  const std::string& threads = flags.value("per_gpu_thread_count");
  if (threads == "0" || flags.value("gpu_thread_mode") != "global") return;
  fail(ExitCode::kUsage,
       "--per_gpu_thread_count={} and --gpu_thread_mode=global: in that mode GPUs have no threads "
       "of their own; leave out one of them",
       threads);
}

void check_frozen(const JobOptions& options, const ParsedFlags& flags) {
  if (flags.value("freeze_when_forward_only") != "true") return;
  if (!options.evaluation.forward_only)
    fail(ExitCode::kUsage, "--freeze_when_forward_only needs --forward_only");
  if (!options.checkpoints.train_dir.empty())
    fail(ExitCode::kUsage,
         "--freeze_when_forward_only and --train_dir={}: a frozen model has nothing to save or "
         "restore; leave out one of them",
         options.checkpoints.train_dir);
}

}  // namespace

FlagTable run_flag_table(RunCommand& command) {
  JobOptions& options = command.options;
  FlagTable table;
  table.add_all(in_group("Model and length", length_flags(options)));
  table.add_all(in_group("Devices", device_flags(command)));
  table.add_all(in_group("Data", data_flags(options)));
  table.add_all(in_group("Strategy", strategy_flags(options)));
  table.add_all(in_group("Optimizer", optimizer_flags(options.optimizer)));
  table.add_all(in_group("Gradients", gradient_flags(options.gradients)));
  table.add_all(in_group("Learning rate", learning_rate_flags(options.learning_rate)));
  table.add_all(in_group("Checkpoints and weights", checkpoint_flags(options.checkpoints)));
  table.add_all(in_group("Evaluation and inference", evaluation_flags(options.evaluation)));
  table.add_all(in_group("Several hosts", task_flags(options.task, options.machine)));
  table.add_all(in_group("Reports", report_flags(command)));
  table.add_all(in_group("Reproducibility and plug-ins", reproducibility_flags(options)));
  table.add_all(historical_flags());
  return table;
}

void complete(RunCommand& command, const ParsedFlags& flags,
              const std::vector<std::string>& plugin_options) {
  if (flags.is_given("against") && command.against.find_first_not_of(' ') == std::string::npos)
    fail(ExitCode::kUsage,
         "--against names no flags, so nothing would be compared; name those that differ, such as "
         "--against=--bucket_mb=4, or another program with --against_program");
  complete_devices(command, flags);
  check_gpu_threads(flags);
  command.options.settings = flags.effective();
  command.options.plugin_options = given_values(flags, plugin_options);
  job::check_options(command.options);
  check_frozen(command.options, flags);
}

}  // namespace convoy::cli
