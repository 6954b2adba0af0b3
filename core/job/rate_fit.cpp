#include "core/job/rate_fit.hpp"

#include "core/job/plan_ground.hpp"
#include "core/job/prediction_options.hpp"
#include "core/plan/step_plan.hpp"
#include "core/runtime/prepared_plan.hpp"

namespace convoy::job {

void fit_to_given_rate(const Setup& setup, const SimulatedHardware& hardware,
                       StrategyPlugin& strategy, std::uint64_t bucket_elements,
                       simulate::Predictor& predictor) {
  const std::optional<double> rate = setup.options.machine.images_per_second;
  if (!rate) return;
  const SimulatedGround one = simulated_ground(setup, hardware, 1, 1);
  const StepPlan plan(one.on.cluster, simulated_map(setup, hardware, one.arena, bucket_elements),
                      author_of(strategy), {.guard = setup.guard});
  predictor.fit(plan.lowered(), one.on, *rate);
}

}  // namespace convoy::job
