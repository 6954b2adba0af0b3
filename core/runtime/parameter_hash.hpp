#pragma once

#include <string>

#include "core/runtime/model_values.hpp"
#include "core/runtime/session.hpp"

namespace convoy {

// What training has arrived at, in 32 hexadecimal digits: XXH3 with 128 bits, in its canonical form
// (what xxh128sum prints), over the float32 values of all variables in creation order, each in its
// plain layout (OIHW, OI or N), then of the moving statistics of every batch norm in layer order
// (means, then variances). Equal parameters have equal hashes whatever the devices, their storage
// or the strategy.
std::string parameter_hash(const ModelValues& values);
// The hash of what a session has trained, without a copy of all of it.
std::string parameter_hash(const Session& session);

}  // namespace convoy
