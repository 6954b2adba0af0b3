#pragma once

#include <convoy/abi.h>

#include <string_view>
#include <vector>

#include "core/plan/check/check.hpp"

namespace convoy::runtime {

// Checks the guarantee of --deterministic: equal bits from equal seeds on equal devices. It holds
// when every update waits for what it reads and the devices are deterministic
// (CONVOY_DEVICE_DETERMINISTIC). Error kUsage with the reason when the plan is asynchronous or a
// device is not.
void require_deterministic(std::string_view strategy, const CheckReport& check,
                           const std::vector<convoy_device_description>& devices);

}  // namespace convoy::runtime
