#pragma once

#include "topology/graph/machine.hpp"

namespace convoy::topology {

// Adds notes that matter for any machine: no GPU, a bus that hides its switches, links of unknown
// speed. Call it once per machine, after all sources have been read.
void add_notes(Machine& machine);

}  // namespace convoy::topology
