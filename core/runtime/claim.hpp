#pragma once

#include <string>

#include "core/plan/check/check.hpp"
#include "core/plugin/strategy_plugin.hpp"

namespace convoy::runtime {

// Error kFailed when the plan is wrong or breaks the claim of its strategy; such a plan is not
// trained or simulated. An unproved plan passes; the caller reports it with unproved_notice().
void require_claim(const plugin::Manifest& strategy, const plan::Plan& plan,
                   const plan::check::CheckReport& report);

// A sentence for the user when the plan is unproved; otherwise empty.
std::string unproved_notice(const plugin::Manifest& strategy,
                            const plan::check::CheckReport& report);

// Error kFailed when the plan calls a kernel without a host function (the form that is tried),
// or has an operation that the manifest's needs= leaves out.
void require_manifest(const plan::Plan& plan, plugin::StrategyPlugin& strategy);

}  // namespace convoy::runtime
