#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace convoy::plan {

// Disjoint sets of the numbers below `size`. At first each number is a set of its own. Sets can
// only be joined.
class UnionFind {
 public:
  explicit UnionFind(std::size_t size = 0) : parents_(size) {
    std::iota(parents_.begin(), parents_.end(), 0u);
  }

  // Returns a number that is equal for all members of one set.
  std::uint32_t root(std::uint32_t it) {
    while (parents_[it] != it) it = parents_[it] = parents_[parents_[it]];
    return it;
  }
  // Joins both sets. The root of b becomes the common root.
  void join(std::uint32_t a, std::uint32_t b) { parents_[root(a)] = root(b); }

 private:
  std::vector<std::uint32_t> parents_;
};

}  // namespace convoy::plan
