#include <gtest/gtest.h>

#include "tests/support/reference_update.hpp"
#include "tests/train/golden_optimizers.hpp"

namespace convoy::testing {
namespace {

constexpr double kOptimizerTolerance = 1e-13;  // both sides compute in float64

TEST(GoldenOptimizer, TheReferenceFollowsTensorFlowsFormulas) {
  const GoldenOptimizers golden;
  ASSERT_GE(golden.cases(), 24u);
  for (std::size_t index = 0; index < golden.cases(); ++index) {
    const convoy_optimizer optimizer = golden.optimizer(index);
    std::vector<double> parameters = golden.initial();
    std::vector<std::vector<double>> state(parameters.size());
    for (auto& slots : state)
      for (std::uint32_t slot = 0; slot < optimizer.state_slots; ++slot)
        slots.push_back(
            train::state_initial(static_cast<convoy_optimizer_kind>(optimizer.kind), slot));
    for (std::size_t step = 0; step < golden.steps(); ++step) {
      const std::vector<double> sum = golden.gradient_sum(step);
      for (std::size_t i = 0; i < parameters.size(); ++i)
        apply_reference(optimizer, golden.learning_rate(step), step, golden.replicas(),
                        golden.is_decayed(i), parameters[i], state[i], sum[i]);
      golden.expect_parameters(index, step, parameters, kOptimizerTolerance);
    }
  }
}

}  // namespace
}  // namespace convoy::testing
