#include "tests/runtime/random_trial.hpp"

#include <cmath>

#include "tests/plan/sample_gradients.hpp"
#include "tests/runtime/random_plan.hpp"

namespace convoy::testing {
namespace {

constexpr convoy_optimizer_kind kOptimizers[] = {CONVOY_OPTIMIZER_SGD, CONVOY_OPTIMIZER_MOMENTUM,
                                                 CONVOY_OPTIMIZER_RMSPROP, CONVOY_OPTIMIZER_ADAM};

}  // namespace

InterpreterOptions random_options(const plan::ArenaMap& arena, std::uint64_t seed) {
  InterpreterOptions options = sample_options(arena, exact_gradient);
  options.optimizer.kind = kOptimizers[seed % 4];
  options.optimizer.decay = 0.875;
  options.optimizer.beta1 = 0.9;
  options.optimizer.beta2 = 0.99;
  options.optimizer.epsilon = 0.5;
  options.optimizer.clip = seed % 3 == 0 ? 0.25 : 0;
  options.optimizer.gradient_scale = seed % 5 == 0 ? 2 : 1;
  options.kernel = random_plan_kernel;
  return options;
}

PlanRunnerOptions small_pieces() {
  PlanRunnerOptions options;
  options.lowering = {.staging_elements = 32, .slice_elements = 8};
  return options;
}

bool is_finite(const plan::Plan& plan, const Interpreter& interpreter) {
  for (std::uint32_t i = 0; i < plan.buffers.size(); ++i) {
    if (plan.buffers[i].kind == CONVOY_BUFFER_SCRATCH) continue;
    for (const float value : interpreter.values(i))
      if (!std::isfinite(value)) return false;
  }
  return true;
}

}  // namespace convoy::testing
