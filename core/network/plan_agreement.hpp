#pragma once

#include <string>
#include <vector>

#include "core/network/control_plane.hpp"

namespace convoy::network {

// Compares the lowered plan of every task with the chief's, operation by operation. All workers and
// servers call it with the texts of their operations. It sends a hash, and texts only where plans
// differ. If they differ, it throws Error (kUnavailable) on every task:
//   worker 1 (hostB, pid 12) would run another step than worker 0 (hostA, pid 9): operation 42 is
//   'copy ...' there and 'sum ...' on the chief; ...
void agree_on_plan(ControlPlane& control, const std::vector<std::string>& operations);

}  // namespace convoy::network
