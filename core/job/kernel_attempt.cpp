#include "core/job/kernel_attempt.hpp"

#include <fmt/format.h>

#include "core/runtime/prepared_plan.hpp"
#include "core/runtime/trial/kernel_trial.hpp"

namespace convoy::job {

void try_kernel_first(const Setup& setup, const std::string& named,
                      plugin::StrategyPlugin& strategy, const plan::Operation& call) {
  const plan::HostKernel kernel = runtime::host_kernel_of(strategy, call.details->kernel);
  if (!kernel) return;
  setup.host->try_first(setup.catalog.find(plugin::PluginKind::kStrategy, named),
                        fmt::format("running its kernel '{}'", call.details->kernel),
                        [&] { runtime::call_guarded(kernel, call); });
}

}  // namespace convoy::job
