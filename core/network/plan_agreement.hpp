#pragma once

#include <string>
#include <vector>

#include "core/network/control_plane.hpp"

namespace convoy::network {

// Compares what every task is about to run, operation by operation, with the chief's: all workers
// and servers call it with the texts of the operations of their lowered plan. Sends a hash, and
// texts only of what differs. Throws Error with exit code kUnavailable on every task:
//   worker 1 (hostB, pid 12) would run another step than worker 0 (hostA, pid 9): operation 42 is
//   'copy ...' there and 'sum ...' here; ...
void agree_on_plan(ControlPlane& control, const std::vector<std::string>& operations);

}  // namespace convoy::network
