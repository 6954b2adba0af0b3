#include "core/cli/auto_run.hpp"

#include <algorithm>
#include <thread>

#include "core/cli/auto_choice.hpp"
#include "core/cli/auto_circumstances.hpp"
#include "core/cli/run_sizes.hpp"
#include "core/cli/this_hardware.hpp"
#include "core/select/decision_cache.hpp"

namespace convoy {
namespace {

bool trains(const RunOptions& options) {
  const RunMode mode = options.evaluation.mode;
  return !options.input_only && mode != RunMode::kEvaluation && mode != RunMode::kForwardOnly;
}

}  // namespace

Decision choose_for_run(RunSetup& setup) {
  const std::string& kind = setup.device->manifest().name;
  const AutoMode mode = setup.options.auto_mode;
  if (mode == AutoMode::kRule || kind != "cpu" || !trains(setup.options))
    return choose_by_rule(setup, kind);
  const SimulatedHardware hardware = this_machine_hardware(setup);
  const std::uint32_t devices = count_devices(setup);
  const std::uint32_t cores = std::max(1u, std::thread::hardware_concurrency());
  const ChoiceSubject subject{1, devices, choose_sizes(setup, devices, cores).batch};
  const DecisionCache cache(cache_folder(),
                            [&](const std::string& text) { setup.notices.push_back(text); });
  const std::string circumstances = auto_circumstances(setup, hardware, subject);
  if (mode == AutoMode::kCached)
    if (const std::optional<Decision> known = cache.find(circumstances)) return *known;
  const Decision decision =
      choose_by_simulation(setup, hardware, subject, rank_strategies(setup, hardware, subject));
  cache.remember(circumstances, decision);
  return decision;
}

}  // namespace convoy
