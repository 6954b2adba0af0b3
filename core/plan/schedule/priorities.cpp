#include "core/plan/schedule/priorities.hpp"

#include <algorithm>

namespace convoy::plan {

Priorities find_priorities(const Plan& lowered, const DependencyLists& dependencies) {
  const auto has_priority = [](const Operation& it) { return it.priority != 0; };
  Priorities priorities;
  if (std::none_of(lowered.body.begin(), lowered.body.end(), has_priority)) return priorities;
  priorities.of.resize(lowered.body.size(), 0);
  for (std::size_t i = lowered.body.size(); i-- > 0;) {
    if (is_compute(lowered.body[i].kind)) continue;
    std::uint8_t& own = priorities.of[i];
    own = std::max(own, static_cast<std::uint8_t>(lowered.body[i].priority));
    for (const Dependency& it : dependencies[i])
      if (it.distance == 0 && !is_compute(lowered.body[it.before].kind))
        priorities.of[it.before] = std::max(priorities.of[it.before], own);
  }
  return priorities;
}

}  // namespace convoy::plan
