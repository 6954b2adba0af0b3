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

// Returns the links that several GPUs pass on the way to their package: PCI Express links, and
// links within a chip whose rate is known. Of links that the same GPUs share, it returns the
// narrowest (of equal ones the lowest). Ordered by their first GPU.
std::vector<SharedUplink> shared_uplinks(const Machine& machine);

}  // namespace convoy::topology
