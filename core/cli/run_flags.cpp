#include "core/cli/run_flags.hpp"

#include "core/cli/checkpoint_options.hpp"
#include "core/cli/flag_limits.hpp"
#include "core/cli/run_guard.hpp"

namespace convoy {
namespace {

using Flags = std::vector<FlagDefinition>;

FlagDefinition toggle(std::string name, const char* value, std::string help) {
  return {.name = std::move(name),
          .type = FlagType::kBool,
          .default_value = value,
          .help = std::move(help)};
}

FlagDefinition text(std::string name, const char* value, std::string help) {
  return {.name = std::move(name), .default_value = value, .help = std::move(help)};
}

FlagDefinition choice(std::string name, std::vector<std::string> allowed, std::string help) {
  const std::string first = allowed.front();
  return {.name = std::move(name),
          .type = FlagType::kEnum,
          .default_value = first,
          .help = std::move(help),
          .allowed = std::move(allowed)};
}

FlagDefinition integer(std::string name, std::optional<std::string> value, double minimum,
                       double maximum, std::string help) {
  return {.name = std::move(name),
          .type = FlagType::kInt,
          .default_value = std::move(value),
          .help = std::move(help),
          .minimum = minimum,
          .maximum = maximum};
}

FlagDefinition number(std::string name, std::optional<std::string> value, std::string help,
                      double minimum = 0, std::optional<double> maximum = {}) {
  return {.name = std::move(name),
          .type = FlagType::kFloat,
          .default_value = std::move(value),
          .help = std::move(help),
          .minimum = minimum,
          .maximum = maximum};
}

FlagDefinition alias(std::string name, std::string of) {
  return {.name = std::move(name), .alias_of = std::move(of)};
}

void add_group(FlagTable& table, const std::string& group, Flags flags) {
  for (FlagDefinition& flag : flags) flag.group = group;
  table.add_all(std::move(flags));
}

Flags length_flags() {
  return {
      text("model", "resnet50", "Network to train; `convoy list` names them."),
      integer("batch_size", "0", 0, kMostImages,
              "Images per device and step; 0 takes the model's default."),
      integer("num_batches", {}, 1, kMostSteps,
              "Steps to time; 100 when neither this nor num_epochs is given."),
      number("num_epochs", {},
             "Timed length in epochs. An epoch is a pass over the examples that data_dir holds; of "
             "synthetic data, as many as are published (imagenet 1281167, cifar10 50000).",
             0, kMostEpochs),
      integer("num_warmup_batches", {}, 0, kMostSteps,
              "Steps before timing starts (10). They train too."),
      toggle("help", "false", "Shows this text."),
  };
}

Flags device_flags() {
  return {
      text("device", "auto",
           "Kind of device: the name of a device plug-in (`convoy list` shows the installed ones) "
           "or the path of its file (with a '/'). gpu is another name of cuda. auto takes the one "
           "of the highest preference that has a device on this machine: accelerators before the "
           "host's processors."),
      integer("num_devices", {}, 1, kMostDevices,
              "Devices to use, of the chosen kind; all when left out."),
      integer("num_gpus", {}, 1, kMostDevices,
              "CUDA devices to use. With another --device, such as cpu, which published command "
              "lines combine with it, devices of that kind."),
      text("gpu_indices", "",
           "Devices by number, in the order that rings follow: 0,2,1,3. 0,0 = two replicas on one "
           "GPU."),
      integer("num_intra_threads", "0", 0, kMostThreads,
              "Threads of each CPU device; 0 shares the cores evenly. GPUs do not use it."),
      text("calibration_file", "",
           "What `convoy calibrate` measured of this machine, for predictions about its CPU "
           "devices; default: where that verb writes it."),
      toggle(
          "use_fp16", "false",
          "Computes in the devices' 16-bit type, which is bf16 on CPUs. Parameters, batch norm's "
          "statistics, the loss and updates stay in 32 bits."),
  };
}

Flags data_flags() {
  return {
      text("data_dir", "", "Folder with the training data; left out, data is synthetic."),
      text(
          "data_name", "",
          "Data set, imagenet or cifar10; left out, it is guessed from data_dir, else the model's. "
          "hash: a fixed fill, for comparing programs."),
      choice("data_format", {"NCHW", "NHWC"},
             "Layout of activations named in the report; in memory every device has its own."),
      choice("resize_method", {"bilinear", "nearest", "bicubic", "area", "round_robin"},
             "How images are resized."),
      toggle("distortions", "false", "Changes colours at random, besides cropping and flipping."),
      toggle("distort_color_in_yiq", "true",
             "Whether distortions turn hue and saturation in the colour space YIQ (fast), or in "
             "HSV."),
      toggle("input_only", "false",
             "Reads and prepares the images of data_dir as training would, without training, and "
             "reports how many come per second and core."),
      choice("on_bad_record", {"fail", "skip"},
             "What to do with a record that cannot be read or decoded."),
      toggle("datasets_use_caching", "false", "Keeps records in memory, undecoded, once read."),
      toggle("datasets_repeat_cached_sample", "false",
             "Trains on the first record only, read once: measures input without reading."),
      integer("datasets_num_private_threads", {}, 1, kMostThreads,
              "Threads that read and decode; left out, the cores that do not compute."),
      alias("input_threads", "datasets_num_private_threads"),
      integer("datasets_prefetch_buffer_size", "2", 1, kMostPreparedBatches,
              "Batches per device prepared ahead."),
      alias("prefetch_depth", "datasets_prefetch_buffer_size"),
  };
}

Flags strategy_flags() {
  return {
      text("variable_update", "auto",
           "Strategy that shares variables and gradients; `convoy list` names them. auto takes the "
           "one that is fastest on this machine."),
      choice("auto", {"cached", "simulate", "measure", "rule"},
             "How auto chooses: by simulating every installed strategy's variants, unless an "
             "earlier run in the same circumstances did so (cached) or always; measure tries the "
             "best of them in the first steps of the training, too; or by a rule of thumb."),
      toggle("auto_inexact", "false",
             "Whether auto may take what is not a synchronous step: stale, asynchronous or lossy."),
      choice("gradient_scale", {"mean", "sum"},
             "What gradients of several devices become. sum multiplies the mean and the weight "
             "decay by the number of devices, as tf_cnn_benchmarks' replicated does."),
      number("bucket_mb", "16",
             "Size of the pieces (2^20 bytes) in which gradients travel; 0 = one piece.", 0,
             kMostBucketMb),
      {.name = "use_nccl",
       .type = FlagType::kBool,
       .help = "Old flag: whether replicated uses the devices' own all-reduce."},
  };
}

Flags optimizer_flags() {
  return {
      choice("optimizer", {"sgd", "momentum", "rmsprop", "adam"}, "Update rule."),
      number("momentum", "0.9", "Momentum, in Nesterov's form.", 0, 1),
      number("rmsprop_decay", "0.9", "RMSProp: averaging factor.", 0, 1),
      number("rmsprop_momentum", "0.9", "RMSProp: momentum.", 0, 1),
      number("rmsprop_epsilon", "1", "RMSProp: added inside the root."),
      number("adam_beta1", "0.9", "Adam: averaging factor of gradients.", 0, 1),
      number("adam_beta2", "0.999", "Adam: averaging factor of squares.", 0, 1),
      number("adam_epsilon", "1e-8", "Adam: added to the root."),
      number("weight_decay", "4e-5", "L2 factor on all variables but batch norm's."),
      number("gradient_clip", {}, "Limit of every element of the gradient, either sign."),
  };
}

Flags learning_rate_flags() {
  return {
      number("init_learning_rate", {}, "Learning rate at the start, instead of the model's rule."),
      text("piecewise_learning_rate_schedule", "",
           "LR0;E1;LR1;...: the rate LR0 until epoch E1, then LR1 and so on."),
      number("num_epochs_per_decay", "0", "Epochs between exponential decays."),
      number("learning_rate_decay_factor", "0", "Factor of each decay."),
      number("minimum_learning_rate", "0", "Floor under exponential decay."),
      number("num_learning_rate_warmup_epochs", "0",
             "Linear ramp from 0, for init_learning_rate and piecewise schedules."),
      number("resnet_base_lr", {}, "Base rate, at batch 256, of the ResNet models' rule."),
  };
}

Flags report_flags() {
  return {
      integer("display_every", "10", 1, kMostSteps, "Print progress every this many steps."),
      number("display_perf_ewma", {}, "Weight of the newest step in the printed speed.", 0, 1),
      choice("loss_type_to_report", {"total_loss", "base_loss"},
             "Whether the printed loss includes weight decay."),
      toggle("print_training_accuracy", "false", "Also print top-1 and top-5 of training batches."),
      text("output_file", "", "Write the run's record here: .json, .jsonl or .csv."),
      text("trace_file", "",
           "Write a timeline of one step here (Chrome trace): the last but one of warm-up, with "
           "fewer than two warm-up steps the first timed one."),
      toggle("profile", "false",
             "Print where the time of the timed steps went: per layer, by kind of layer, and "
             "between computation, aggregation, input and gaps."),
  };
}

Flags reproducibility_flags() {
  return {
      integer("tf_random_seed", "1234", 0, 4294967295.0,
              "Seed of initial values, order and augmentation of the data, synthetic and hash "
              "data, and dropout. The same seed on the same devices gives the same parameters."),
      alias("seed", "tf_random_seed"),
      choice("initializer", {"default", "hash"},
             "Initial values: the layers' rules, or a fixed fill for comparing programs."),
      toggle("dropout", "true", "Whether dropout layers drop."),
      toggle("winograd_nonfused", "true",
             "Whether devices may compute 3x3 convolutions with fewer multiplications (Winograd's "
             "algorithm), which rounds differently; with false they sum by definition."),
      toggle("deterministic", "false",
             "Guarantees that the same seed on the same devices gives the same parameters, bit for "
             "bit, and prints their hash at the end. Synchronous strategies on CPU devices do so "
             "anyway; this refuses strategies and devices that do not."),
      toggle("print_parameter_hash", "false",
             "Print a hash of the trained parameters at the end (XXH3, 128 bits)."),
      text("plugin_path", "", "Folders with plug-ins, separated by colons, searched first."),
  };
}

}  // namespace

FlagTable run_flag_table() {
  FlagTable table;
  add_group(table, "Model and length", length_flags());
  add_group(table, "Devices", device_flags());
  add_group(table, "Data", data_flags());
  add_group(table, "Strategy", strategy_flags());
  add_group(table, "Optimizer", optimizer_flags());
  add_group(table, "Gradients", guard_flags());
  add_group(table, "Learning rate", learning_rate_flags());
  add_group(table, "Checkpoints and weights", checkpoint_flags());
  table.add_all(evaluation_flags());
  add_group(table, "Reports", report_flags());
  add_group(table, "Reproducibility and plug-ins", reproducibility_flags());
  table.add_all(historical_flags());
  return table;
}

}  // namespace convoy
