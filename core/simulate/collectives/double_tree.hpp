#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace convoy::simulate {

// Two binary trees over n hosts, each of which carries half of the data. As far as possible, a host
// with children in one tree is a leaf of the other, so that both together load all hosts about
// equally. The edges are pairs of child and parent; one host has none.
struct DoubleTree {
  using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  Edges first;
  Edges second;
  std::uint32_t depth = 0;  // edges from the root to the lowest leaf
};

DoubleTree make_double_tree(std::uint32_t hosts);

}  // namespace convoy::simulate
