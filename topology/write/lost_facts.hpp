#pragma once

#include <string>
#include <vector>

#include "topology/catalogue/catalogue.hpp"
#include "topology/graph/machine.hpp"

namespace convoy::topology {

// What is known of a machine and has no place in other programs' forms, in words: "rates of network
// cards". Predictions for the machine that is read back differ by it.
std::vector<std::string> lost_in_hwloc_xml(const Machine& machine, const Catalogue& catalogue);
std::vector<std::string> lost_in_nccl_dump(const Machine& machine, const Catalogue& catalogue);

}  // namespace convoy::topology
