#pragma once

#include <convoy/abi.h>

#include "core/plan/operation.hpp"

namespace convoy::plan {

// The operation in the form that crosses the plug-in boundary; it points into `operation`, which
// must outlive it.
convoy_operation to_abi(const Operation& operation);

}  // namespace convoy::plan
