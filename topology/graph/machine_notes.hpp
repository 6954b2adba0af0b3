#pragma once

#include "topology/graph/machine.hpp"

namespace convoy::topology {

// Adds to the notes what people should know of any machine: no GPU, a bus that hides its switches,
// links of unknown speed. For when all sources have been read; once per machine.
void add_notes(Machine& machine);

}  // namespace convoy::topology
