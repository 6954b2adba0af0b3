#pragma once

#include <functional>
#include <string>

#include "core/job/setup.hpp"
#include "core/job/sizes.hpp"

namespace convoy::job {

// What --variable_update=auto takes on several hosts, once their links have been measured: the
// chief compares every installed strategy on them, and all tasks take what it decides; all call it.
// Where nothing can be simulated, the rule of thumb that the setup began with stays, and `tell`
// hears why. The setup has the decision and its strategy then. Error kUnavailable on a task that
// has another file of the strategy than the chief.
void choose_on_links(Setup& setup, const Sizes& sizes, const PluginLog& log,
                     const std::function<void(const std::string&)>& tell);

}  // namespace convoy::job
