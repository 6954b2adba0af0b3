#include "core/plan/schedule/strands.hpp"

#include <algorithm>
#include <numeric>

namespace convoy {
namespace {

// Sets of operations that only grow together.
class Components {
 public:
  explicit Components(std::size_t size) : parents_(size) {
    std::iota(parents_.begin(), parents_.end(), 0u);
  }

  std::uint32_t root(std::uint32_t it) {
    while (parents_[it] != it) it = parents_[it] = parents_[parents_[it]];
    return it;
  }
  void join(std::uint32_t a, std::uint32_t b) { parents_[root(a)] = root(b); }

 private:
  std::vector<std::uint32_t> parents_;
};

}  // namespace

Strands find_strands(const Plan& lowered, const DependencyLists& dependencies) {
  if (std::none_of(lowered.body.begin(), lowered.body.end(), is_loose)) return {};
  const auto size = static_cast<std::uint32_t>(lowered.body.size());
  Components components(size);
  for (std::uint32_t i = 0; i < size; ++i)
    for (const Dependency& dependency : dependencies.strict(i))
      components.join(dependency.before, i);
  std::vector<std::uint32_t> number(size, CONVOY_NONE);  // per root
  Strands strands{0, {}};
  for (std::uint32_t i = 0; i < size; ++i) {
    std::uint32_t& own = number[components.root(i)];
    if (is_compute(lowered.body[i].kind) && own == CONVOY_NONE) own = strands.count++;
  }
  if (strands.count <= 1) return {};
  for (std::uint32_t i = 0; i < size; ++i) {
    const std::uint32_t own = number[components.root(i)];
    strands.of.push_back(own == CONVOY_NONE ? 0 : own);
  }
  return strands;
}

}  // namespace convoy
