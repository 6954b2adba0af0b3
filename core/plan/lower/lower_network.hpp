#pragma once

#include "core/plan/lower/lowering.hpp"

namespace convoy {

// A copy between places of different hosts. The network reads and writes host memory only: that of
// hosts, and of devices that share it. Between two such places the copy is one operation. A copy
// from or to another device is staged through that device's host, in bounded pieces. A source that
// may be updated while it is sent (a relaxed read) is first copied within its host's memory,
// likewise in bounded pieces, so that a message never mixes old and new values.
void copy_over_network(Lowering& lowering, const Operation& copy);

}  // namespace convoy
