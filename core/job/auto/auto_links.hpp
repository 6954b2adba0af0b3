#pragma once

#include <functional>
#include <string>

#include "core/job/setup.hpp"
#include "core/job/sizes.hpp"

namespace convoy::job {

// Resolves --variable_update=auto on several hosts, once their links have been measured. All tasks
// call it. The chief compares every installed strategy on these links, and all tasks take its
// decision: it replaces the decision and the strategy of the setup. If nothing can be simulated,
// the choice of the rule of thumb stays, and `tell` gets the reason. Error kUnavailable on a task
// whose file of the strategy differs from the chief's.
void choose_on_links(Setup& setup, const Sizes& sizes, const plugin::PluginLog& log,
                     const std::function<void(const std::string&)>& tell);

}  // namespace convoy::job
