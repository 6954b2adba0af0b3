#include "core/plan/schedule/strands.hpp"

#include <algorithm>

#include "core/plan/union_find.hpp"

namespace convoy::plan {

Strands find_strands(const Plan& lowered, const DependencyLists& dependencies) {
  if (std::none_of(lowered.body.begin(), lowered.body.end(), is_loose)) return {};
  const auto size = static_cast<std::uint32_t>(lowered.body.size());
  UnionFind components(size);
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

}  // namespace convoy::plan
