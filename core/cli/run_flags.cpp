#include "core/cli/run_flags.hpp"

namespace convoy {
namespace {

using enum FlagType;
using Definitions = std::initializer_list<FlagDefinition>;

void add_group(FlagTable& table, std::string_view group, Definitions definitions) {
  for (FlagDefinition definition : definitions) {
    definition.group = group;
    table.add(std::move(definition));
  }
}

void add_plugin_flags(FlagTable& table) {
  add_group(
      table, "What to run",
      {{.name = "model", .default_value = "resnet50", .help = "The network; see convoy list."},
       {.name = "variable_update",
        .default_value = "auto",
        .help = "The strategy that shares variables and gradients; auto picks the fastest."},
       {.name = "plugin_path",
        .default_value = "",
        .help = "Folders to search for plug-ins before the usual ones, separated by colons.",
        .from_environment = false}});
}

void add_device_flags(FlagTable& table) {
  add_group(
      table, "Devices",
      {{.name = "device",
        .type = kEnum,
        .allowed = {"cpu", "gpu", "cuda"},
        .help = "Kind of device that trains; unset means the best kind present. gpu is cuda."},
       {.name = "num_gpus",
        .type = kInteger,
        .minimum = 1,
        .help = "Number of devices, CUDA devices unless --device says otherwise."},
       {.name = "num_devices",
        .type = kInteger,
        .minimum = 1,
        .help = "Number of devices of whatever kind; unset means 1, with auto all of them."},
       {.name = "gpu_indices",
        .default_value = "",
        .aliases = {"ring_order"},
        .help = "Which devices, in ring order: a comma list of indices such as 0,2,1,3."},
       {.name = "num_intra_threads",
        .type = kInteger,
        .minimum = 0,
        .aliases = {"cpu_threads"},
        .help = "Threads of one CPU device; unset or 0 means one for each of its cores."},
       {.name = "use_nccl",
        .type = kBool,
        .help = "Old form of --all_reduce_spec=nccl for strategies that have that option."},
       {.name = "data_format",
        .type = kEnum,
        .default_value = "NCHW",
        .allowed = {"NCHW", "NHWC"},
        .help = "Shown in the header; every device chooses its own layout in memory."}});
}

void add_length_flags(FlagTable& table) {
  add_group(
      table, "Length and measurement",
      {{.name = "batch_size",
        .type = kInteger,
        .default_value = "0",
        .minimum = 0,
        .help = "Images per device and step; 0 means the model's default."},
       {.name = "num_batches",
        .type = kInteger,
        .minimum = 1,
        .help = "Timed steps; 100 unless --num_epochs is given."},
       {.name = "num_epochs",
        .type = kFloat,
        .minimum = 0,
        .help = "Timed length in epochs of the training data instead of steps."},
       {.name = "num_warmup_batches",
        .type = kInteger,
        .minimum = 0,
        .help = "Steps before the timed ones. They train too. Unset means 10."},
       {.name = "autotune_threshold",
        .type = kInteger,
        .minimum = 0,
        .aliases = {"conv_autotune_trials"},
        .help = "Lengthens the unset warm-up to 5 times its square, if that is more than 10."},
       {.name = "display_every",
        .type = kInteger,
        .default_value = "10",
        .minimum = 1,
        .help = "Print a line after the first and then every so many timed steps."},
       {.name = "display_perf_ewma",
        .type = kFloat,
        .minimum = 0,
        .maximum = 1,
        .help = "Weight of the newest step in the speed shown; unset averages all alike."},
       {.name = "loss_type_to_report",
        .type = kEnum,
        .default_value = "total_loss",
        .allowed = {"total_loss", "base_loss"},
        .help = "Print the loss with or without its L2 term; training always has it."},
       {.name = "print_training_accuracy",
        .type = kBool,
        .default_value = "false",
        .help = "Two more columns: top-1 and top-5 accuracy on the training batch."}});
}

void add_optimizer_flags(FlagTable& table) {
  const auto coefficient = [](std::string name, std::string value, std::string help) {
    return FlagDefinition{.name = std::move(name),
                          .type = kFloat,
                          .default_value = std::move(value),
                          .minimum = 0,
                          .help = std::move(help)};
  };
  add_group(table, "Optimizer",
            {{.name = "optimizer",
              .type = kEnum,
              .default_value = "sgd",
              .allowed = {"sgd", "momentum", "rmsprop", "adam"},
              .help = "The update rule."},
             coefficient("momentum", "0.9", "Of Nesterov's momentum."),
             coefficient("rmsprop_decay", "0.9", "Averaging of the squared gradient."),
             coefficient("rmsprop_momentum", "0.9", "Of the update."),
             coefficient("rmsprop_epsilon", "1", "Inside the root."),
             coefficient("adam_beta1", "0.9", "Averaging of the gradient."),
             coefficient("adam_beta2", "0.999", "Averaging of the squared gradient."),
             coefficient("adam_epsilon", "1e-08", "Outside the root."),
             coefficient("weight_decay", "4e-05", "L2 coefficient; batch norm is exempt."),
             {.name = "gradient_clip",
              .type = kFloat,
              .minimum = 0,
              .help = "Clamp every element of the aggregated gradient to plus or minus this."},
             {.name = "gradient_scale",
              .type = kEnum,
              .default_value = "mean",
              .allowed = {"mean", "sum"},
              .help = "Mean over replicas in every strategy, or the sum that replicated used "
                      "to take in tf_cnn_benchmarks."}});
}

void add_learning_rate_flags(FlagTable& table) {
  const auto optional_rate = [](std::string name, std::string help) {
    return FlagDefinition{
        .name = std::move(name), .type = kFloat, .minimum = 0, .help = std::move(help)};
  };
  add_group(
      table, "Learning rate (unset: the model's own rule)",
      {optional_rate("init_learning_rate", "Initial rate, instead of the model's rule."),
       {.name = "piecewise_learning_rate_schedule",
        .help = "Rates and whole epochs between them: 0.1;30;0.01;60;0.001"},
       optional_rate("num_epochs_per_decay", "Epochs between exponential decays."),
       optional_rate("learning_rate_decay_factor", "Multiplier of each exponential decay."),
       optional_rate("minimum_learning_rate", "Floor of the exponential decay."),
       optional_rate("num_learning_rate_warmup_epochs", "Linear ramp from zero, in epochs."),
       optional_rate("resnet_base_lr", "Rate at batch 256 of rules that scale with the batch.")});
}

void add_input_flags(FlagTable& table) {
  add_group(table, "Input",
            {{.name = "data_dir", .help = "Folder of TFRecord files; unset means synthetic data."},
             {.name = "data_name", .help = "imagenet or cifar10; unset guesses from the folder."},
             {.name = "resize_method",
              .type = kEnum,
              .default_value = "bilinear",
              .allowed = {"nearest", "bilinear", "bicubic", "area", "round_robin"},
              .help = "How images are resized."},
             {.name = "distortions",
              .type = kBool,
              .default_value = "false",
              .help = "Random colours besides the random crops and mirroring."},
             {.name = "fuse_decode_and_crop",
              .type = kBool,
              .default_value = "true",
              .help = "Decode only the part of a JPEG that its crop needs."},
             {.name = "on_bad_record",
              .type = kEnum,
              .default_value = "fail",
              .allowed = {"fail", "skip"},
              .help = "End the run at a damaged record, or take the next one and count it."},
             {.name = "datasets_num_private_threads",
              .type = kInteger,
              .default_value = "0",
              .minimum = 0,
              .aliases = {"input_threads"},
              .help = "Threads that read and decode; 0 means one for each core."},
             {.name = "datasets_prefetch_buffer_size",
              .type = kInteger,
              .default_value = "2",
              .minimum = 1,
              .aliases = {"prefetch_depth"},
              .help = "Batches made ahead for each device."}});
}

void add_start_flags(FlagTable& table) {
  add_group(table, "Start and reproducibility",
            {{.name = "tf_random_seed",
              .type = kInteger,
              .default_value = "1234",
              .minimum = 0,
              .aliases = {"seed"},
              .help = "Of initial values, data order and dropout."},
             {.name = "initializer",
              .type = kEnum,
              .default_value = "default",
              .allowed = {"default", "hash"},
              .help = "hash fills variables from an integer hash that other programs can repeat."},
             {.name = "dropout",
              .type = kBool,
              .default_value = "true",
              .help = "--nodropout switches it off, for comparisons."}});
}

void add_output_flags(FlagTable& table) {
  add_group(table, "Output",
            {{.name = "output_file",
              .default_value = "",
              .help = "Write everything about the run here: .json, .jsonl or .csv."},
             {.name = "trace_file",
              .default_value = "",
              .help = "Write a Chrome trace of the second-last warm-up step here."}});
}

}  // namespace

FlagTable plugin_flag_table() {
  FlagTable table;
  add_plugin_flags(table);
  return table;
}

FlagTable run_flag_table() {
  FlagTable table;
  add_plugin_flags(table);
  add_device_flags(table);
  add_length_flags(table);
  add_optimizer_flags(table);
  add_learning_rate_flags(table);
  add_input_flags(table);
  add_start_flags(table);
  add_output_flags(table);
  add_historical_flags(table);
  return table;
}

}  // namespace convoy
