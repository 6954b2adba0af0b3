#include "core/cli/evaluation_options.hpp"

#include <string>
#include <vector>

#include "core/base/error.hpp"

namespace convoy {
namespace {

constexpr const char* kEverySteps = "eval_during_training_every_n_steps";
constexpr const char* kEveryEpochs = "eval_during_training_every_n_epochs";
constexpr const char* kAtSteps = "eval_during_training_at_specified_steps";
constexpr const char* kAtEpochs = "eval_during_training_at_specified_epochs";

EvaluationTriggers read_triggers(const ParsedFlags& flags) {
  EvaluationTriggers triggers;
  triggers.every_steps = flags.optional_integer(kEverySteps);
  triggers.every_epochs = flags.optional_number(kEveryEpochs);
  if (triggers.every_epochs && *triggers.every_epochs <= 0)
    fail(ExitCode::kUsage, "--{}={}: it must be above 0", kEveryEpochs, *triggers.every_epochs);
  triggers.at_steps = parse_step_list(kAtSteps, flags.text(kAtSteps));
  triggers.at_epochs = parse_epoch_list(kAtEpochs, flags.text(kAtEpochs));
  std::vector<const char*> given;
  if (triggers.every_steps) given.push_back(kEverySteps);
  if (triggers.every_epochs) given.push_back(kEveryEpochs);
  if (!triggers.at_steps.empty()) given.push_back(kAtSteps);
  if (!triggers.at_epochs.empty()) given.push_back(kAtEpochs);
  if (given.size() > 1)
    fail(ExitCode::kUsage, "--{} and --{}: give one of them, not both", given[0], given[1]);
  return triggers;
}

// The name of the flag that asks for evaluation during training.
std::string trigger_name(const EvaluationTriggers& triggers) {
  if (triggers.every_steps) return kEverySteps;
  if (triggers.every_epochs) return kEveryEpochs;
  return triggers.at_steps.empty() ? kAtEpochs : kAtSteps;
}

void check_triggers(const ParsedFlags& flags, const EvaluationOptions& options) {
  if (!options.triggers.any()) {
    if (options.stop_at_top_1)
      fail(ExitCode::kUsage,
           "--stop_at_top_1_accuracy={}: nothing is evaluated before the end; add one of the "
           "--eval_during_training flags",
           *options.stop_at_top_1);
    return;
  }
  const std::string name = trigger_name(options.triggers);
  for (const char* other : {"eval", "forward_only"})
    if (flags.boolean(other))
      fail(ExitCode::kUsage, "--{} and --{}: a run either trains and evaluates or does not train",
           name, other);
  const auto effective = flags.effective();
  const auto staged = effective.find("staged_vars");
  if (staged != effective.end() && staged->second == "true")
    fail(ExitCode::kUsage,
         "--{} and --staged_vars: staged variables lag behind what would be evaluated; leave out "
         "one of them",
         name);
}

RunMode read_mode(const ParsedFlags& flags, const EvaluationTriggers& triggers) {
  const bool evaluation = flags.boolean("eval");
  const bool forward_only = flags.boolean("forward_only");
  if (evaluation && forward_only)
    fail(ExitCode::kUsage, "--eval and --forward_only: give one of them, not both");
  if (evaluation) return RunMode::kEvaluation;
  if (forward_only) return RunMode::kForwardOnly;
  return triggers.any() ? RunMode::kTrainingAndEvaluation : RunMode::kTraining;
}

void check_folders(const ParsedFlags& flags, RunMode mode) {
  const bool has_folder = !flags.text("train_dir").empty();
  if (mode == RunMode::kEvaluation && !has_folder)
    fail(ExitCode::kUsage,
         "--eval needs --train_dir: a folder with checkpoints, or one checkpoint file");
  if (!flags.boolean("freeze_when_forward_only")) return;
  if (mode != RunMode::kForwardOnly)
    fail(ExitCode::kUsage, "--freeze_when_forward_only needs --forward_only");
  if (has_folder)
    fail(ExitCode::kUsage,
         "--freeze_when_forward_only and --train_dir={}: a frozen model has nothing to save or "
         "restore; leave out one of them",
         flags.text("train_dir"));
}

}  // namespace

const char* run_mode_name(RunMode mode) {
  switch (mode) {
    case RunMode::kTrainingAndEvaluation:
      return "training + evaluation";
    case RunMode::kEvaluation:
      return "evaluation";
    case RunMode::kForwardOnly:
      return "forward only";
    default:
      return "training";
  }
}

EvaluationOptions read_evaluation_options(const ParsedFlags& flags) {
  EvaluationOptions options;
  options.triggers = read_triggers(flags);
  options.stop_at_top_1 = flags.optional_number("stop_at_top_1_accuracy");
  check_triggers(flags, options);
  options.mode = read_mode(flags, options.triggers);
  check_folders(flags, options.mode);
  options.interval_seconds = flags.integer("eval_interval_secs");
  const auto batch = flags.integer_as<std::uint32_t>("eval_batch_size");
  if (batch > 0) options.batch_size = batch;
  options.num_batches = flags.optional_integer("num_eval_batches");
  options.num_epochs = flags.optional_number("num_eval_epochs");
  if (options.num_batches && options.num_epochs)
    fail(ExitCode::kUsage, "--num_eval_batches={} and --num_eval_epochs={}: give one of them",
         *options.num_batches, *options.num_epochs);
  if (options.num_epochs && *options.num_epochs <= 0)
    fail(ExitCode::kUsage, "--num_eval_epochs={}: it must be above 0", *options.num_epochs);
  return options;
}

}  // namespace convoy
