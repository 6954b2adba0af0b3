#pragma once

#include <string>

#include "core/runtime/session.hpp"
#include "core/runtime/state/model_values.hpp"

namespace convoy::runtime {

// The hash of trained parameters, in 32 hexadecimal digits: XXH3 with 128 bits, in its canonical
// form (what xxh128sum prints), over the float32 values of all variables in creation order, each in
// its plain layout (OIHW, OI or N), then of the moving statistics of every batch norm in layer
// order (means, then variances). Equal parameters have equal hashes whatever the devices, their
// storage or the strategy.
std::string parameter_hash(const ModelValues& values);
// The hash of a session's parameters, computed without a copy of all of them.
std::string parameter_hash(const Session& session);

}  // namespace convoy::runtime
