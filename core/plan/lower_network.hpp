#pragma once

#include "core/plan/lowering.hpp"

namespace convoy {

// A copy between places of different hosts. Networks reach host memory only: what comes from a
// device goes through its own host, what goes to a device through that device's host, in bounded
// pieces. Between two host places it is one operation.
void copy_over_network(Lowering& lowering, const Operation& copy);

}  // namespace convoy
