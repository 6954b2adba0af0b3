#include <fmt/format.h>

#include "core/cli/flags/bind.hpp"
#include "core/cli/flags/run_flags.hpp"
#include "core/train/optimizer.hpp"

namespace convoy::cli {
namespace {

constexpr Bounds kNotNegative = {};
constexpr Bounds kPositive = {.is_above = true};
constexpr Bounds kFactor = {.least = 0, .most = 1, .is_below = true};
constexpr Bounds kAny = {-std::numeric_limits<double>::infinity()};

std::vector<std::pair<std::string, convoy_optimizer_kind>> optimizer_choices() {
  std::vector<std::pair<std::string, convoy_optimizer_kind>> choices;
  choices.reserve(train::kOptimizers.size());
  for (const auto& [kind, name] : train::kOptimizers) choices.emplace_back(name, kind);
  return choices;
}

}  // namespace

std::vector<FlagDefinition> optimizer_flags(OptimizerOptions& options) {
  return {
      common(bind_choice<convoy_optimizer_kind>("optimizer", options.kind, optimizer_choices(),
                                                "Update rule.")),
      bind_flag("momentum", options.momentum, kFactor,
                "Momentum of --optimizer=momentum, in Nesterov's form."),
      bind_flag("rmsprop_decay", options.rmsprop_decay, kFactor, "RMSProp: averaging factor."),
      bind_flag("rmsprop_momentum", options.rmsprop_momentum, kFactor, "RMSProp: momentum."),
      bind_flag("rmsprop_epsilon", options.rmsprop_epsilon, kPositive,
                "RMSProp: added inside the root."),
      bind_flag("adam_beta1", options.adam_beta1, kFactor, "Adam: averaging factor of gradients."),
      bind_flag("adam_beta2", options.adam_beta2, kFactor, "Adam: averaging factor of squares."),
      bind_flag("adam_epsilon", options.adam_epsilon, kPositive, "Adam: added to the root."),
      bind_flag("weight_decay", options.weight_decay, kNotNegative,
                "L2 factor on weights and biases; on variables of norms and layer scales only if "
                "the model says so."),
      bind_option("gradient_clip", options.gradient_clip,
                  "Clips every gradient element to this magnitude."),
  };
}

std::vector<std::string> notices_on_other_optimizers(const ParsedFlags& flags) {
  const std::string& chosen = flags.value("optimizer");
  std::vector<std::string> notices;
  for (const auto& [flag, optimizer] : {std::pair{"momentum", "momentum"},
                                        {"rmsprop_decay", "rmsprop"},
                                        {"rmsprop_momentum", "rmsprop"},
                                        {"rmsprop_epsilon", "rmsprop"},
                                        {"adam_beta1", "adam"},
                                        {"adam_beta2", "adam"},
                                        {"adam_epsilon", "adam"}})
    if (flags.is_given(flag) && chosen != optimizer)
      notices.push_back(
          fmt::format("--{}={}: without effect, it is for --optimizer={}, and the optimizer is {}",
                      flag, flags.value(flag), optimizer, chosen));
  return notices;
}

std::vector<FlagDefinition> gradient_flags(GradientOptions& options) {
  return {
      bind_flag("gradient_clip_norm", options.clip_norm, kPositive,
                "Clips the global norm of the gradients to this value: the Euclidean norm over all "
                "variables, including weight decay. Applied before gradient_clip."),
      bind_flag("fp16_loss_scale", options.loss_scale, kAny,
                "Factor on the loss; the gradients are divided by it. Without it, 128 with "
                "use_fp16. 1 = off."),
      bind_flag("fp16_enable_auto_loss_scale", options.automatic_loss_scale,
                "Skips steps with gradients that are not finite and halves the loss scale, "
                "starting from fp16_loss_scale."),
      bind_option("fp16_inc_loss_scale_every_n", options.increase_every,
                  "Doubles the automatic loss scale after this many finite steps in a row, at the "
                  "next finite step."),
      bind_flag("report_gradient_norms", options.report_norms,
                "Adds the gradients' norms, without weight decay, to the steps of output_file."),
  };
}

std::vector<FlagDefinition> learning_rate_flags(LearningRateOptions& options) {
  return {
      common(bind_flag("init_learning_rate", options.init_learning_rate, kNotNegative,
                       "Learning rate at the start, instead of the model's rule.")),
      bind_flag("piecewise_learning_rate_schedule", options.piecewise_learning_rate_schedule,
                "LR0;E1;LR1;...: the rate LR0 until epoch E1, then LR1 and so on."),
      bind_flag("num_epochs_per_decay", options.num_epochs_per_decay, kNotNegative,
                "Epochs between exponential decays."),
      bind_flag("learning_rate_decay_factor", options.learning_rate_decay_factor, kNotNegative,
                "Factor by which each decay multiplies the learning rate."),
      bind_flag("minimum_learning_rate", options.minimum_learning_rate, kNotNegative,
                "Lower bound of the learning rate under exponential decay."),
      bind_flag("num_learning_rate_warmup_epochs", options.num_learning_rate_warmup_epochs,
                kNotNegative,
                "Epochs of a linear ramp from 0, for init_learning_rate and piecewise schedules."),
      bind_flag("resnet_base_lr", options.resnet_base_lr, kNotNegative,
                "Base rate, at batch 256, of the ResNet models' rule."),
  };
}

}  // namespace convoy::cli
