#pragma once

#include <string>

#include "core/job/setup.hpp"
#include "core/plan/plan.hpp"
#include "core/plugin/strategy_plugin.hpp"

namespace convoy::job {

// Calls the host form of a kernel of the strategy, if it has one, in a child process, unless the
// strategy came with this convoy: Error kUnavailable as PluginHost::try_first() where that harms.
// `named` is the strategy's name or path, as Catalog::find() takes it.
void try_kernel_first(const Setup& setup, const std::string& named, StrategyPlugin& strategy,
                      const Operation& call);

}  // namespace convoy::job
