#pragma once

#include <convoy/abi.h>

#include "plugins/devices/cpu/onednn.hpp"

namespace convoy::cpu {

// The storage of a variable as oneDNN describes it: dimensions OIHW, OI or N.
Desc storage_desc(const convoy_graph_variable& variable);

// The plain storage of a variable.
Desc plain_desc(const convoy_graph_variable& variable);

// A oneDNN description as a layout, or the plain layout when convoy_layout cannot say it.
convoy_layout layout_of(const Desc& desc, const convoy_graph_variable& variable);

}  // namespace convoy::cpu
