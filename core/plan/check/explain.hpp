#pragma once

#include <string>

#include "core/plan/check/check.hpp"

namespace convoy {

// Why a plan without findings is no stricter than it is: "it is approximate because of cast
// (operation 5) of gradient(1)[0..64), replica 1". Empty for synchronous plans.
std::string explain_verdict(const Plan& plan, const CheckReport& report);

}  // namespace convoy
