#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "topology/graph/machine.hpp"

namespace convoy::topology {

// A source's NVLink matrix: the bytes per second from each end to each other end, 0 = no link.
// `ends` are nodes of the machine: GPUs, packages (POWER), NVSwitches; `rates[i][j]` is the rate
// from i to j.
struct NvlinkMatrix {
  std::vector<std::size_t> ends;
  std::vector<std::vector<double>> rates;
  std::string source;
};

// Writes the matrix into the machine as links. All NVSwitches become one, the node of the first
// one, because traffic spreads over them evenly. Direct links stay beside it. Rates that the source
// doubled are halved, and the fact's source says so: hwloc up to 2.9.0 does so on A100 and H100,
// and `doubled` says that such a version wrote the matrix.
void append_nvlinks(Machine& machine, const NvlinkMatrix& matrix, bool doubled);

// The NVLink rate between two GPUs in one direction, over direct links and an NVSwitch together.
// `known` is false if a connection has an unknown rate.
struct NvlinkRate {
  double bytes_per_second = 0;
  bool connected = false;
  bool known = true;
};
// Returns the rates between the first `most` GPUs; rows and columns are in the order of the
// machine's GPUs.
std::vector<std::vector<NvlinkRate>> nvlink_closure(
    const Machine& machine, std::size_t most = std::numeric_limits<std::size_t>::max());

// Returns the bytes per second and direction of one brick of a generation (NVLink 1 to 5); 0 for
// others.
double nvlink_brick_rate(unsigned generation);

// The same for the GPUs of an architecture, in the numbers of NCCL and nvcc: 60, 86, 100.
double architecture_brick_rate(unsigned architecture);

// The same for the version that NVML reports for a link. It counts versions, not generations: 1 is
// NVLink 1; 2 to 6 are 2.0, 2.2, 3.0, 3.1 and 4.0; 7 is 5.0, which some drivers also report for
// Hopper.
double nvml_brick_rate(const Node& gpu, unsigned version);

}  // namespace convoy::topology
