#include "core/cli/run_guard.hpp"

#include <cmath>

#include "core/base/error.hpp"
#include "core/cli/flag_limits.hpp"

namespace convoy {
namespace {

constexpr double kSixteenBitLossScale = 128;  // tf_cnn_benchmarks' default for every model

LossScale read_loss_scale(const ParsedFlags& flags) {
  const std::optional<double> given = flags.optional_number("fp16_loss_scale");
  if (!given) return {flags.boolean("use_fp16") ? kSixteenBitLossScale : 1.0, 0};
  const auto narrow = static_cast<float>(*given);
  if (!std::isnormal(narrow) || narrow <= 0)
    fail(ExitCode::kUsage,
         "--fp16_loss_scale={:g}: it must be above 0 and a normal 32-bit number; 1 turns loss "
         "scaling off",
         *given);
  return {static_cast<double>(narrow), 0};
}

}  // namespace

std::vector<FlagDefinition> guard_flags() {
  return {
      {.name = "gradient_clip_norm",
       .type = FlagType::kFloat,
       .help = "Limit of the Euclidean norm of all gradients together, weight decay included; "
               "before gradient_clip.",
       .minimum = 0},
      {.name = "fp16_loss_scale",
       .type = FlagType::kFloat,
       .help = "Factor on the loss, taken out of the gradients again; left out, 128 with use_fp16. "
               "1 = off."},
      {.name = "fp16_enable_auto_loss_scale",
       .type = FlagType::kBool,
       .default_value = "false",
       .help = "Skips steps with gradients that are not finite and halves the loss scale, starting "
               "from fp16_loss_scale."},
      {.name = "fp16_inc_loss_scale_every_n",
       .type = FlagType::kInt,
       .default_value = "1000",
       .help = "Finite steps in a row before the one that doubles the automatic loss scale.",
       .minimum = 1,
       .maximum = kMostSteps},
      {.name = "report_gradient_norms",
       .type = FlagType::kBool,
       .default_value = "false",
       .help = "Adds the gradients' norms, without weight decay, to the steps of output_file."},
  };
}

GuardOptions read_guard(const ParsedFlags& flags) {
  GuardOptions guard;
  guard.loss_scale = read_loss_scale(flags);
  guard.automatic_loss_scale = flags.boolean("fp16_enable_auto_loss_scale");
  guard.increase_every = flags.integer_as<std::uint64_t>("fp16_inc_loss_scale_every_n");
  guard.gradient_norms = flags.boolean("report_gradient_norms");
  const std::optional<double> limit = flags.optional_number("gradient_clip_norm");
  if (limit && !(*limit > 0 && std::isfinite(*limit)))
    fail(ExitCode::kUsage,
         "--gradient_clip_norm={:g}: it must be above 0 (leave it out for no clipping)", *limit);
  guard.clip_norm = limit.value_or(0);
  const bool has_scale = flags.boolean("use_fp16") || flags.is_given("fp16_loss_scale");
  if (guard.automatic_loss_scale && !has_scale)
    fail(ExitCode::kUsage,
         "--fp16_enable_auto_loss_scale: gradients of 32 bits do not overflow, so there is nothing "
         "to adapt to; add --use_fp16, or --fp16_loss_scale with the scale to start from");
  return guard;
}

}  // namespace convoy
