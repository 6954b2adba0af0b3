#pragma once

#include <cstdint>
#include <memory>

#include "core/plugin/strategy_plugin.hpp"

namespace convoy::testing {

// Synchronous; from that step on devices train alone for two steps and then move on from where the
// last such move went, with momentum: what this takes, a copy of the parameters, the prologue of
// the stage makes.
std::unique_ptr<plugin::StrategyPlugin> staged_strategy(std::int64_t first_step);

}  // namespace convoy::testing
