#pragma once

#include <cstddef>
#include <vector>

#include "topology/graph/machine.hpp"

namespace convoy::topology {

// A link towards the processors that several GPUs have to share.
struct SharedUplink {
  std::size_t link = 0;
  std::size_t below = 0;          // the node at its lower end
  std::vector<std::size_t> gpus;  // at least two
};

// The PCI Express links, and those within a chip whose rate is known, on several GPUs' ways to
// their package; of links that the same GPUs share, the narrowest (of equal ones the lowest). In
// the order of their first GPU.
std::vector<SharedUplink> shared_uplinks(const Machine& machine);

}  // namespace convoy::topology
