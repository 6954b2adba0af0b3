#pragma once

#include "core/plan/lower/lowering.hpp"

namespace convoy {

// An update of several parameters, one per replica: every device that holds some of them works on
// one slice for all, so that each gradient is read once.
void lower_update(Lowering& lowering, const Operation& update);

}  // namespace convoy
