#include "core/cli/checkpoint_options.hpp"

#include "core/base/error.hpp"
#include "core/cli/flag_limits.hpp"

namespace convoy {

std::vector<FlagDefinition> checkpoint_flags() {
  return {
      {.name = "train_dir",
       .default_value = "",
       .help = "Folder for checkpoints. Training goes on from the newest one in it, and saves one "
               "at the end."},
      {.name = "save_model_steps",
       .type = FlagType::kInt,
       .help = "Also save a checkpoint after every so many timed steps.",
       .minimum = 1,
       .maximum = kMostSteps},
      {.name = "save_model_secs",
       .type = FlagType::kInt,
       .default_value = "0",
       .help = "Also save a checkpoint every so many seconds; 0 does not.",
       .minimum = 0,
       .maximum = kMostSeconds},
      {.name = "max_ckpts_to_keep",
       .type = FlagType::kInt,
       .default_value = "5",
       .help = "Checkpoints to keep, the newest ones; 0 keeps all.",
       .minimum = 0,
       .maximum = kMostSteps},
      {.name = "on_save_error",
       .type = FlagType::kEnum,
       .default_value = "stop",
       .help = "What to do when a checkpoint cannot be saved. Those saved before stay whole.",
       .allowed = {"stop", "continue"}},
      {.name = "init_weights",
       .default_value = "",
       .help = "Start from the weights in this safetensors file. A checkpoint in train_dir comes "
               "first."},
      {.name = "weights_map",
       .default_value = "",
       .help = "How the tensors of init_weights are called: a JSON file, or a name from "
               "share/weights. Left out, as in checkpoints of convoy."},
  };
}

CheckpointOptions read_checkpoint_options(const ParsedFlags& flags) {
  CheckpointOptions options;
  options.train_dir = flags.text("train_dir");
  options.every_steps = flags.optional_integer("save_model_steps");
  const std::int64_t seconds = flags.integer("save_model_secs");
  if (seconds > 0) options.every_seconds = seconds;
  options.keep = flags.integer("max_ckpts_to_keep");
  options.continue_on_error = flags.text("on_save_error") == "continue";
  options.init_weights = flags.text("init_weights");
  options.weights_map = flags.text("weights_map");
  if (options.every_steps && options.every_seconds)
    fail(ExitCode::kUsage, "--save_model_steps={} and --save_model_secs={}: give one of them",
         *options.every_steps, *options.every_seconds);
  if (!options.weights_map.empty() && options.init_weights.empty())
    fail(ExitCode::kUsage, "--weights_map={}: it says how --init_weights is read; add that",
         options.weights_map);
  return options;
}

}  // namespace convoy
