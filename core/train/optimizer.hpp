#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace convoy {

enum class OptimizerKind { kSgd, kMomentum, kRmsprop, kAdam };

// "sgd", "momentum", "rmsprop" or "adam"; fails with kUsage for anything else.
OptimizerKind parse_optimizer(std::string_view name);
std::string_view optimizer_name(OptimizerKind kind);

// What turns a gradient into an update, without the learning rate, which changes every step.
// The defaults are those of tf_cnn_benchmarks. Momentum is always Nesterov's; the epsilon of
// rmsprop sits inside the root, the one of adam outside.
struct OptimizerRule {
  OptimizerKind kind = OptimizerKind::kSgd;
  double momentum = 0.9;
  double rmsprop_decay = 0.9;
  double rmsprop_momentum = 0.9;
  double rmsprop_epsilon = 1.0;
  double adam_beta1 = 0.9;
  double adam_beta2 = 0.999;
  double adam_epsilon = 1e-8;
  double weight_decay = 4e-5;                // of the L2 term weight_decay * sum(w^2) / 2
  std::optional<double> gradient_clip = {};  // every element is clamped to [-clip, clip]
};

// Number of state arrays, each f32 and as long as the parameters.
int state_slots(OptimizerKind kind);

// rmsprop: slot 0 is the mean square (starts at 1), slot 1 the accumulated update.
// momentum: the accumulated gradient. adam: slot 0 the first moment, slot 1 the second.
float state_initial(OptimizerKind kind, int slot);

// One apply, as the host configures it for all elements of a range.
struct ApplySettings {
  double learning_rate = 0;
  std::int64_t step = 1;      // counted from 1: only adam's bias correction reads it
  double contributions = 1;   // how many gradients were summed into the one given
  double gradient_scale = 1;  // 1 for the mean; contributions for the historical sum
  bool decayed = true;        // whether weight decay applies to this variable
};

// Updates one element and its state in double precision: the oracle for every device's kernel.
//   g = gradient_scale * (gradient_sum / contributions + (decayed ? weight_decay * parameter : 0))
// is clamped if the rule clips, then handed to the optimizer. With the sum over n replicas weight
// decay therefore counts n times, as it always did, and keeps its proportion to the data's part.
// `state` has state_slots(rule.kind) elements.
void apply_reference(const OptimizerRule& rule, const ApplySettings& settings, double& parameter,
                     std::span<double> state, double gradient_sum);

}  // namespace convoy
