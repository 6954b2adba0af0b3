#pragma once

#include "core/cli/run_setup.hpp"
#include "core/select/decision.hpp"

namespace convoy {

// What --variable_update=auto takes for a run on this machine: remembered or simulated for CPU
// devices, by the rule of thumb for others, whose machine nobody has described, and where nothing
// is trained. Notes what went wrong with the memory in the setup's notices.
Decision choose_for_run(RunSetup& setup);

}  // namespace convoy
