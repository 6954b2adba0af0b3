#include "core/cli/flag_limits.hpp"
#include "core/cli/run_flags.hpp"

namespace convoy {
namespace {

FlagDefinition flag(const char* name, FlagType type, const char* default_value, const char* help) {
  FlagDefinition result;
  result.name = name;
  result.type = type;
  if (default_value != nullptr) result.default_value = default_value;
  result.help = help;
  result.group = "Evaluation and inference";
  return result;
}

FlagDefinition from_to(double minimum, double maximum, FlagDefinition definition) {
  definition.minimum = minimum;
  definition.maximum = maximum;
  return definition;
}

FlagDefinition without_effect(const char* sentence, FlagDefinition definition) {
  definition.notice = sentence;
  return definition;
}

}  // namespace

std::vector<FlagDefinition> evaluation_flags() {
  using enum FlagType;
  return {
      flag("eval", kBool, "false",
           "Scores the newest checkpoint of train_dir on the validation data instead of training. "
           "train_dir may also be one checkpoint file."),
      from_to(0, kMostSeconds,
              flag("eval_interval_secs", kInt, "0",
                   "With eval: looks again after so many seconds and scores every newer "
                   "checkpoint, until it is interrupted; 0 looks once.")),
      from_to(1, kMostSteps,
              flag("eval_during_training_every_n_steps", kInt, nullptr,
                   "Training pauses after every so many timed steps for an evaluation. One "
                   "more follows the last step.")),
      from_to(0, kMostEpochs,
              flag("eval_during_training_every_n_epochs", kFloat, nullptr,
                   "Likewise, at the ends of epochs of the training data.")),
      flag("eval_during_training_at_specified_steps", kString, "",
           "Likewise, after these timed steps: 10,20,50."),
      flag("eval_during_training_at_specified_epochs", kString, "",
           "Likewise, after these epochs: 0.5,1,2."),
      from_to(0, 1,
              flag("stop_at_top_1_accuracy", kFloat, nullptr,
                   "Ends training when an evaluation reaches this top-1 accuracy, a fraction.")),
      from_to(0, kMostImages,
              flag("eval_batch_size", kInt, "0",
                   "Images per device and step of an evaluation; 0: as in training.")),
      from_to(1, kMostSteps,
              flag("num_eval_batches", kInt, nullptr,
                   "Steps of an evaluation; left out, num_eval_epochs, num_epochs or "
                   "num_batches decide. Behind its end the validation data starts again.")),
      from_to(0, kMostEpochs,
              flag("num_eval_epochs", kFloat, nullptr,
                   "Length of an evaluation in passes over the validation data.")),
      flag("forward_only", kBool, "false",
           "Measures inference on the training data: batch norm by moving statistics, no dropout, "
           "no gradients, no updates, no strategy."),
      without_effect("variables are constants in every forward-only run",
                     flag("freeze_when_forward_only", kBool, "false", "")),
  };
}

}  // namespace convoy
