#include "core/job/simulation/prediction_options.hpp"

#include "core/job/hardware/plan_target.hpp"
#include "core/plan/step_plan.hpp"
#include "core/runtime/model_map.hpp"
#include "core/runtime/prepared_plan.hpp"
#include "core/train/optimizer.hpp"

namespace convoy::job {
namespace {

constexpr std::uint64_t kPixelBytes = 3 * sizeof(float);  // size in which batches reach devices

// The option of the CUDA device, as its manifest spells it. Other devices may have an option of
// that name, too.
constexpr const char* kTf32 = "tf32";

// Returns whether a trace or the timeline of a record needs the operations.
bool keeps_operations(const JobOptions& options) {
  return !options.trace_file.empty() || wants_timeline(options);
}

}  // namespace

bool wants_timeline(const JobOptions& options) {
  return options.record_timeline || !options.report_file.empty();
}

simulate::Arithmetic arithmetic(const JobOptions& options, const SimulatedHardware& hardware) {
  if (options.half) return simulate::Arithmetic::kHalf;
  const auto tf32 = options.plugin_options.find(kTf32);
  const bool rounds = tf32 != options.plugin_options.end() && tf32->second == "true";
  return rounds && !hardware.on_host_processors ? simulate::Arithmetic::kTf32
                                                : simulate::Arithmetic::kSingle;
}

simulate::PredictorOptions prediction_options(const Setup& setup, const SimulatedHardware& hardware,
                                              std::uint32_t batch) {
  simulate::PredictorOptions options;
  options.batch = batch;
  options.arithmetic = arithmetic(setup.options, hardware);
  options.simulation.software = hardware.software;
  options.simulation.seed = setup.options.seed;
  options.simulation.state_slots = train::state_slots(setup.options.optimizer.kind);
  options.simulation.keep_operations = keeps_operations(setup.options);
  if (!setup.options.data_dir.empty()) {
    const std::uint64_t side = setup.graph->image_size();
    options.simulation.input = {batch, kPixelBytes * side * side};
  }
  return options;
}

plan::ArenaMap simulated_map(const Setup& setup, const SimulatedHardware& hardware,
                             const graph::Arena& arena, std::uint64_t bucket_elements) {
  plan::ArenaMap map = runtime::make_arena_map(*setup.graph, arena, bucket_elements);
  if (!hardware.software.bucket_per_variable || setup.options.bucket_mb) return map;
  map.buckets = plan::variable_buckets(map);
  return map;
}

void fit_to_given_rate(const Setup& setup, const SimulatedHardware& hardware,
                       plugin::StrategyPlugin& strategy, std::uint64_t bucket_elements,
                       simulate::Predictor& predictor) {
  const std::optional<double> rate = setup.options.machine.images_per_second;
  if (!rate) return;
  const SimulatedTarget one = simulated_target(setup, hardware, 1, 1);
  const plan::StepPlan plan(one.on.cluster,
                            simulated_map(setup, hardware, one.arena, bucket_elements),
                            runtime::author_of(strategy), {.guard = guard_options(setup.options)});
  predictor.fit(plan.lowered(), one.on, *rate);
}

}  // namespace convoy::job
