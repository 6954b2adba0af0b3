#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "topology/graph/machine.hpp"

namespace convoy::topology {

// A line of the machine's tree: a node and, for each level above it, whether more nodes follow
// there.
struct TreeRow {
  std::size_t node = 0;
  std::vector<bool> branches;
  std::optional<std::size_t> link;  // to its parent
};

// Returns the rows with parents before children, and children in the machine's order. PCI bridges
// without a GPU or a network card below them are left out.
std::vector<TreeRow> machine_tree(const Machine& machine);

// "gpu0 [10de:1db8] Tesla V100, 15.8 GB/s".
std::string describe_node(const Machine& machine, const TreeRow& row);

}  // namespace convoy::topology
