#pragma once

#include "core/plan/plan.hpp"
#include "core/runtime/memory.hpp"

namespace convoy::runtime {

// Asks every engine whether it can run the operations that the lowered plan gives it, each kind and
// dtype once. Error kUnavailable names the operation, the place and the device's reason. Before
// anything is allocated: better than a step that fails. Of kernels only where devices run host
// functions; see require_form() for others.
void require_supported(const Plan& lowered, const Engines& engines);

}  // namespace convoy::runtime
