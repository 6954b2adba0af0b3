#pragma once

#include <string>
#include <string_view>

#include "topology/graph/machine.hpp"

namespace convoy::topology {

// Reads the output of `nvidia-smi topo -m`: GPUs and network cards with the kind of path between
// every two (PIX, PXB, PHB, NODE or SOC, SYS), numbers of NVLink bricks, NUMA affinity. All speeds
// stay unknown, because it has none. It does not name the GPUs; lines of `nvidia-smi -L` before or
// after it do. Throws Error (kUsage) for a table that is cut or holds other words.
Machine read_nvidia_smi(std::string_view text, const std::string& source);

}  // namespace convoy::topology
