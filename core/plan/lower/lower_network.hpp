#pragma once

#include "core/plan/lower/lowering.hpp"

namespace convoy {

// A copy between places of different hosts. Networks reach host memory only, that of hosts and of
// devices which share it: between two such places it is one operation. What comes from another
// device goes through its own host, what goes to one through that device's host, in bounded pieces.
// What others may update while it is sent, as relaxed reads say, is copied in its host's memory
// first, likewise in bounded pieces: a message is never half old and half new because of its
// length.
void copy_over_network(Lowering& lowering, const Operation& copy);

}  // namespace convoy
