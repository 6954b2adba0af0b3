#pragma once

#include <convoy/abi.h>

#include <string_view>
#include <vector>

#include "core/plan/check/check.hpp"

namespace convoy {

// What --deterministic promises: equal bits from equal seeds on equal devices. Every plan whose
// updates wait for what they read keeps that promise on devices that give the same bits for the
// same operations; Error kUsage with the reason when the plan is asynchronous or a device gives no
// such word.
void require_deterministic(std::string_view strategy, const CheckReport& check,
                           const std::vector<convoy_device_description>& devices);

}  // namespace convoy
