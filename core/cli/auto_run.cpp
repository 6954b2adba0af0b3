#include "core/cli/auto_run.hpp"

#include <algorithm>
#include <optional>
#include <thread>

#include "core/base/error.hpp"
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

// None, with a notice, when its calibration cannot be used and nobody asked for it by name: a run
// that could go on does.
std::optional<SimulatedHardware> this_machine(RunSetup& setup) {
  try {
    return this_machine_hardware(setup);
  } catch (const Error& error) {
    if (setup.flags->is_given("calibration_file")) throw;
    setup.notices.emplace_back(error.what());
    return std::nullopt;
  }
}

}  // namespace

Decision choose_for_run(RunSetup& setup) {
  const std::string& kind = setup.device->manifest().name;
  const AutoMode mode = setup.options.auto_mode;
  if (mode == AutoMode::kRule || kind != "cpu" || !trains(setup.options))
    return choose_by_rule(setup, kind);
  const std::optional<SimulatedHardware> machine = this_machine(setup);
  if (!machine) return choose_by_rule(setup, kind);
  const SimulatedHardware& hardware = *machine;
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
