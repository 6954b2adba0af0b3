#pragma once

#include <string>

#include "core/plan/check/check.hpp"

namespace convoy::plan::check {

// Returns why a plan without findings has no stricter verdict: "it is approximate because of cast
// (operation 5) of gradient(1)[0..64), replica 1". Empty for synchronous plans.
std::string explain_verdict(const Plan& plan, const CheckReport& report);

}  // namespace convoy::plan::check
