#include "core/train/optimizer.hpp"

#include <convoy/sized.hpp>

#include <cmath>

#include "core/base/error.hpp"

namespace convoy::train {
namespace {

void require(bool holds, const char* flag, double value, const char* range) {
  if (!holds) fail(ExitCode::kUsage, "--{}={}: it must be {}", flag, value, range);
}

bool is_fraction(double value) {
  return value >= 0 && value < 1;
}

void check(const OptimizerOptions& options) {
  require(is_fraction(options.momentum), "momentum", options.momentum, "at least 0 and below 1");
  require(is_fraction(options.rmsprop_decay), "rmsprop_decay", options.rmsprop_decay,
          "at least 0 and below 1");
  require(is_fraction(options.rmsprop_momentum), "rmsprop_momentum", options.rmsprop_momentum,
          "at least 0 and below 1");
  require(options.rmsprop_epsilon > 0, "rmsprop_epsilon", options.rmsprop_epsilon, "above 0");
  require(is_fraction(options.adam_beta1), "adam_beta1", options.adam_beta1,
          "at least 0 and below 1");
  require(is_fraction(options.adam_beta2), "adam_beta2", options.adam_beta2,
          "at least 0 and below 1");
  require(options.adam_epsilon > 0, "adam_epsilon", options.adam_epsilon, "above 0");
  require(options.weight_decay >= 0 && std::isfinite(options.weight_decay), "weight_decay",
          options.weight_decay, "a number that is not negative");
  if (options.gradient_clip) {
    require(*options.gradient_clip > 0, "gradient_clip", *options.gradient_clip,
            "above 0 (leave it out for no clipping)");
  }
}

}  // namespace

std::string_view optimizer_name(convoy_optimizer_kind kind) {
  for (const auto& [known, name] : kOptimizers) {
    if (known == kind) return name;
  }
  fail(ExitCode::kUsage, "optimizer kind {} is unknown", static_cast<int>(kind));
}

convoy_optimizer make_optimizer(const OptimizerOptions& options, std::uint32_t replicas) {
  CONVOY_CHECK_LT(0u, replicas);
  check(options);
  auto optimizer = make_sized<convoy_optimizer>();
  optimizer.kind = options.kind;
  optimizer.state_slots = state_slots(options.kind);
  const bool rmsprop = options.kind == CONVOY_OPTIMIZER_RMSPROP;
  optimizer.momentum = rmsprop ? options.rmsprop_momentum : options.momentum;
  optimizer.decay = options.rmsprop_decay;
  optimizer.beta1 = options.adam_beta1;
  optimizer.beta2 = options.adam_beta2;
  optimizer.epsilon = rmsprop ? options.rmsprop_epsilon : options.adam_epsilon;
  optimizer.weight_decay = options.weight_decay;
  optimizer.clip = options.gradient_clip.value_or(0);
  optimizer.gradient_scale =
      options.gradient_scale == GradientScale::kSum ? static_cast<double>(replicas) : 1.0;
  return optimizer;
}

std::uint32_t state_slots(convoy_optimizer_kind kind) {
  switch (kind) {
    case CONVOY_OPTIMIZER_SGD:
      return 0;
    case CONVOY_OPTIMIZER_MOMENTUM:
      return 1;
    case CONVOY_OPTIMIZER_RMSPROP:
    case CONVOY_OPTIMIZER_ADAM:
      return 2;
  }
  fail(ExitCode::kUsage, "optimizer kind {} is unknown", static_cast<int>(kind));
}

double state_initial(convoy_optimizer_kind kind, std::uint32_t slot) {
  CONVOY_CHECK_LT(slot, state_slots(kind));
  return kind == CONVOY_OPTIMIZER_RMSPROP && slot == 0 ? 1 : 0;
}

std::string_view state_name(convoy_optimizer_kind kind, std::uint32_t slot) {
  CONVOY_CHECK_LT(slot, state_slots(kind));
  if (kind == CONVOY_OPTIMIZER_RMSPROP) return slot == 0 ? "mean_square" : "momentum";
  if (kind == CONVOY_OPTIMIZER_ADAM) return slot == 0 ? "first_moment" : "second_moment";
  return "momentum";
}

}  // namespace convoy::train
