#pragma once

#include <convoy/abi.h>

#include "core/plan/operation.hpp"

namespace convoy::plan {

// Returns the operation in the form that crosses the plug-in boundary. The result points into
// `operation`, which must outlive it.
convoy_operation to_abi(const Operation& operation);

}  // namespace convoy::plan
