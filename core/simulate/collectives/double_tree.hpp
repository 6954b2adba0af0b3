#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace convoy::simulate {

// Two binary trees over n hosts, each of which carries half of the data. A host that has children
// in one of them is a leaf of the other as far as that is possible, so that together they load all
// hosts about alike. Pairs of child and parent; none for one host.
struct DoubleTree {
  using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  Edges first;
  Edges second;
  std::uint32_t depth = 0;  // edges from the root to the lowest leaf
};

DoubleTree make_double_tree(std::uint32_t hosts);

}  // namespace convoy::simulate
