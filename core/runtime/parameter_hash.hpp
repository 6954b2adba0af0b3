#pragma once

#include <string>

#include "core/runtime/session.hpp"

namespace convoy {

// What training has arrived at, in 32 hexadecimal digits: XXH3 with 128 bits, in its canonical form
// (what xxh128sum prints), over the float32 values of all variables in creation order, each in its
// plain layout (OIHW, OI or N), then of the moving statistics of every batch norm in layer order
// (means, then variances), as replica 0 has them. Equal parameters have equal hashes whatever the
// devices, their storage or the strategy. No step may be running.
std::string parameter_hash(Session& session);

}  // namespace convoy
