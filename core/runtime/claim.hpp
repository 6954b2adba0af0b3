#pragma once

#include <string>

#include "core/plan/check/check.hpp"
#include "core/plugin/strategy_plugin.hpp"

namespace convoy {

// Error kFailed when the plan is wrong or not what its strategy claims: such a strategy is neither
// trained with nor predicted. One that is merely unproved passes; say so with unproved_notice().
void require_claim(const Manifest& strategy, const Plan& plan, const CheckReport& report);

// For people, when nothing could be proved of the plan; otherwise empty.
std::string unproved_notice(const Manifest& strategy, const CheckReport& report);

// Error kFailed when the plan calls a kernel without a host function (the form that is tried),
// or has an operation that the manifest's needs= leaves out.
void require_manifest(const Plan& plan, StrategyPlugin& strategy);

}  // namespace convoy
