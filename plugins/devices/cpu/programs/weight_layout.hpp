#pragma once

#include <convoy/abi.h>

#include "plugins/devices/cpu/onednn.hpp"

namespace convoy::cpu {

// The storage of a variable as a oneDNN description: dimensions OIHW, OI or N.
Desc storage_desc(const convoy_graph_variable& variable);

// The plain storage of a variable.
Desc plain_desc(const convoy_graph_variable& variable);

// Converts a oneDNN description to a layout, or to the plain layout if convoy_layout cannot express
// it.
convoy_layout layout_of(const Desc& desc, const convoy_graph_variable& variable);

}  // namespace convoy::cpu
