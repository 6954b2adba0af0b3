#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace convoy::plan {

// Sets of the numbers below `size`, each alone at first, that only grow together.
class UnionFind {
 public:
  explicit UnionFind(std::size_t size = 0) : parents_(size) {
    std::iota(parents_.begin(), parents_.end(), 0u);
  }

  // Equal for members of one set.
  std::uint32_t root(std::uint32_t it) {
    while (parents_[it] != it) it = parents_[it] = parents_[parents_[it]];
    return it;
  }
  // The root of b becomes that of both.
  void join(std::uint32_t a, std::uint32_t b) { parents_[root(a)] = root(b); }

 private:
  std::vector<std::uint32_t> parents_;
};

}  // namespace convoy::plan
