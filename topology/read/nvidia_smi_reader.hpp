#pragma once

#include <string>
#include <string_view>

#include "topology/graph/machine.hpp"

namespace convoy::topology {

// Reads what `nvidia-smi topo -m` printed: GPUs and network cards by what lies between each two
// (PIX, PXB, PHB, NODE or SOC, SYS), numbers of NVLink bricks, NUMA affinity. It tells no speeds:
// all stay unknown. Nor does it name the GPUs: lines of `nvidia-smi -L` before or behind it do.
// Throws Error (kUsage) for a table that is cut or holds other words.
Machine read_nvidia_smi(std::string_view text, const std::string& source);

}  // namespace convoy::topology
