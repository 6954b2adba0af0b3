#pragma once

#include "topology/machine.hpp"

namespace convoy::topology {

// Adds to the notes what a reader should know of any machine: no GPU, a bus that hides its
// switches, links of unknown speed.
void add_notes(Machine& machine);

}  // namespace convoy::topology
