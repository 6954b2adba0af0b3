#pragma once

#include <string>
#include <string_view>

#include "topology/catalogue/catalogue.hpp"
#include "topology/graph/machine.hpp"

namespace convoy::topology {

// Reads a file that NCCL writes for NCCL_TOPO_DUMP_FILE. Empty link speeds stay unknown. Rates of
// NVLink follow from the number of bricks and the GPU's architecture. Throws Error (kUsage) for
// text that is damaged or hostile.
Machine read_nccl_dump(std::string_view text, const std::string& source);

// Writes one host in the same form: GPUs, network cards, the switches above them and NVLink. Ports
// within a switch are left out, as NCCL does. The catalogue supplies what a machine does not hold:
// the family and model of processors, the architecture of GPUs.
std::string write_nccl_dump(const Machine& machine, const Catalogue& catalogue);

}  // namespace convoy::topology
