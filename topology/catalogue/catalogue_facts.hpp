#pragma once

#include "topology/catalogue/catalogue.hpp"
#include "topology/graph/machine.hpp"

namespace convoy::topology {

// Fills in what a machine's own sources leave unknown and the catalogue knows of its GPUs, by PCI
// id, else by model: their names, memory, the rates of NVLinks of which only the number is known.
// GPUs with more links to each other than they have get NVSwitches instead, as
// nvlink_switches.hpp says. Where no NVLink is known at all, boards of as many GPUs as always hang
// on NVSwitches get them; of others with NVLink a note says that the links are unknown. What is
// known stays as it is.
void add_catalogue_facts(Machine& machine, const Catalogue& catalogue);

}  // namespace convoy::topology
