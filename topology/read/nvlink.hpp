#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "topology/graph/machine.hpp"

namespace convoy::topology {

// What two ends of a source's NVLink matrix have in each direction: bytes per second, 0 = nothing.
// `ends` are nodes of the machine: GPUs, packages (POWER), NVSwitches; `rates[i][j]` from i to j.
struct NvlinkMatrix {
  std::vector<std::size_t> ends;
  std::vector<std::vector<double>> rates;
  std::string source;
};

// Writes the matrix into the machine as links. All NVSwitches are one, the first one's node, since
// traffic spreads over them evenly; direct links stay beside it. Rates that the source doubled
// (hwloc up to 2.9.0 on A100 and H100, `doubled` says that it wrote the matrix) are halved, and the
// fact's source says so.
void append_nvlinks(Machine& machine, const NvlinkMatrix& matrix, bool doubled);

// What NVLink carries between two GPUs in one direction, direct links and the way over an NVSwitch
// together; `known` is false where there is a connection of unknown rate.
struct NvlinkRate {
  double bytes_per_second = 0;
  bool connected = false;
  bool known = true;
};
// Rows and columns in the order of the machine's GPUs, of the first `most` of them.
std::vector<std::vector<NvlinkRate>> nvlink_closure(
    const Machine& machine, std::size_t most = std::numeric_limits<std::size_t>::max());

// Bytes per second and direction of one brick of a generation (NVLink 1 to 5); 0 for others.
double nvlink_brick_rate(unsigned generation);

// The same for the GPUs of an architecture, as NCCL and nvcc number them: 60, 86, 100.
double architecture_brick_rate(unsigned architecture);

// The same for the version that NVML says a link has. It counts versions, not generations: 1 is
// NVLink 1, 2 to 6 are 2.0, 2.2, 3.0, 3.1 and 4.0, 7 is 5.0, which some drivers say of Hopper, too.
double nvml_brick_rate(const Node& gpu, unsigned version);

}  // namespace convoy::topology
