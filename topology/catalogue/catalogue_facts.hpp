#pragma once

#include "topology/catalogue/catalogue.hpp"
#include "topology/graph/machine.hpp"

namespace convoy::topology {

// Fills in the facts about a machine's GPUs that its own sources leave unknown and the catalogue
// has: names, memory, and the rates of NVLinks of which only the number is known. The catalogue
// finds GPUs by PCI id, else by model. GPUs with more links to each other than they have bricks get
// NVSwitches instead (nvlink_switches.hpp). If no NVLink is known at all, boards whose number of
// GPUs always has NVSwitches get them. For other GPUs with NVLink, a note says that the links are
// unknown. Known facts stay as they are.
void add_catalogue_facts(Machine& machine, const Catalogue& catalogue);

}  // namespace convoy::topology
