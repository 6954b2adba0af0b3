#pragma once

#include <vector>

#include "core/cli/flag_parser.hpp"
#include "core/plan/guard.hpp"

namespace convoy {

// The flags of `convoy run` about gradients: clipping by norm, loss scaling, norms in the report.
std::vector<FlagDefinition> guard_flags();

// What they ask for. Error(kUsage) for values without meaning, and for automatic loss scaling of
// 32-bit training, unless a loss scale is given.
GuardOptions read_guard(const ParsedFlags& flags);

}  // namespace convoy
