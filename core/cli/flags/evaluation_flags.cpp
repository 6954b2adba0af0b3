#include "core/cli/flags/bind.hpp"
#include "core/cli/flags/run_flags.hpp"
#include "core/train/evaluation_schedule.hpp"

namespace convoy::cli {
namespace {

using Flags = std::vector<FlagDefinition>;

constexpr const char* kAtSteps = "eval_during_training_at_specified_steps";
constexpr const char* kAtEpochs = "eval_during_training_at_specified_epochs";

// It has no effect, because the variables of a forward-only run are constants anyway.
FlagDefinition freeze_flag() {
  FlagDefinition flag;
  flag.name = "freeze_when_forward_only";
  flag.type = FlagType::kBool;
  flag.default_value = "false";
  flag.notice = "variables are constants in every forward-only run";
  return flag;
}

// Flags that say when an evaluation interrupts the training.
Flags trigger_flags(EvaluationTriggers& triggers) {
  return {
      bind_option("eval_during_training_every_n_steps", triggers.every_steps,
                  "Training pauses for an evaluation each time this many timed steps are done. One "
                  "more evaluation follows the last step."),
      bind_option("eval_during_training_every_n_epochs", triggers.every_epochs,
                  "Likewise, at the ends of epochs of the training data."),
      custom_flag(
          kAtSteps, FlagType::kString, "",
          [&triggers](const std::string& text) {
            triggers.at_steps = train::parse_step_list(kAtSteps, text);
          },
          "Likewise, after these timed steps: 10,20,50."),
      custom_flag(
          kAtEpochs, FlagType::kString, "",
          [&triggers](const std::string& text) {
            triggers.at_epochs = train::parse_epoch_list(kAtEpochs, text);
          },
          "Likewise, after these epochs: 0.5,1,2."),
  };
}

// Flags for the length of an evaluation, the end of the training, and inference.
Flags scoring_flags(EvaluationOptions& evaluation) {
  return {
      bind_option("stop_at_top_1_accuracy", evaluation.stop_at_top_1,
                  "Ends training when an evaluation reaches this top-1 accuracy, a fraction."),
      bind_unset_by_zero("eval_batch_size", evaluation.batch_size,
                         "Images per device and step of an evaluation; 0: as in training."),
      instead_of("num_eval_epochs",
                 bind_option("num_eval_batches", evaluation.num_batches,
                             "Steps of an evaluation; after its end, the validation data starts "
                             "again. Without it, num_eval_epochs or num_epochs decide, otherwise "
                             "num_batches, with one pass over validation files at most.")),
      instead_of("num_eval_batches",
                 bind_option("num_eval_epochs", evaluation.num_epochs,
                             "Length of an evaluation in passes over the validation data.")),
      bind_flag("forward_only", evaluation.forward_only,
                "Measures inference on the training data: batch norm uses moving statistics; no "
                "dropout, gradients, updates or strategy."),
      freeze_flag(),
  };
}

}  // namespace

std::vector<FlagDefinition> evaluation_flags(EvaluationOptions& evaluation) {
  Flags stored = {
      common(bind_flag(
          "eval", evaluation.evaluate_only,
          "Scores the newest checkpoint of train_dir on the validation data instead of "
          "training. train_dir may also be one checkpoint file. With init_weights instead of "
          "train_dir, scores those weights.")),
      bind_option("eval_interval_secs", evaluation.interval_seconds,
                  "With eval: looks for newer checkpoints at this interval and scores each, until "
                  "interrupted; 0 looks once."),
  };
  return joined({std::move(stored), trigger_flags(evaluation.triggers), scoring_flags(evaluation)});
}

}  // namespace convoy::cli
