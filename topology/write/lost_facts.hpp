#pragma once

#include <string>
#include <vector>

#include "topology/catalogue/catalogue.hpp"
#include "topology/graph/machine.hpp"

namespace convoy::topology {

// Return, in words, the known facts about a machine for which other programs' formats have no
// place: "rates of network cards". Predictions for the machine that is read back differ because of
// them.
std::vector<std::string> lost_in_hwloc_xml(const Machine& machine, const Catalogue& catalogue);
std::vector<std::string> lost_in_nccl_dump(const Machine& machine, const Catalogue& catalogue);

}  // namespace convoy::topology
