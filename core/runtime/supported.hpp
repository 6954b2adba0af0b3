#pragma once

#include <convoy/abi.h>

#include <string_view>
#include <vector>

#include "core/plan/check/check.hpp"
#include "core/plan/plan.hpp"
#include "core/runtime/memory.hpp"

namespace convoy::runtime {

// Asks every engine whether it can run the operations that the lowered plan gives it, each kind and
// dtype once. Error kUnavailable names the operation, the place and the device's reason. Call it
// before anything is allocated, so that no step fails later. Asks about kernels only if devices run
// host functions; see require_form() for others.
void require_supported(const plan::Plan& lowered, const Engines& engines);

// Checks the guarantee of --deterministic: equal bits from equal seeds on equal devices. It holds
// when every update waits for what it reads and the devices are deterministic
// (CONVOY_DEVICE_DETERMINISTIC). Error kUsage with the reason when the plan is asynchronous or a
// device is not.
void require_deterministic(std::string_view strategy, const plan::check::CheckReport& check,
                           const std::vector<convoy_device_description>& devices);

}  // namespace convoy::runtime
