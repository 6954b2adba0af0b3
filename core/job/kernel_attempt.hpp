#pragma once

#include <string>

#include "core/job/setup.hpp"
#include "core/plan/plan.hpp"
#include "core/plugin/strategy_plugin.hpp"

namespace convoy::job {

// Tries the host form of a strategy's kernel, if there is one, in a child process. Does nothing for
// strategies that came with this convoy. Errors as PluginHost::try_first(). `named` is the name or
// path of the strategy, as for Catalog::find().
void try_kernel_first(const Setup& setup, const std::string& named,
                      plugin::StrategyPlugin& strategy, const plan::Operation& call);

}  // namespace convoy::job
