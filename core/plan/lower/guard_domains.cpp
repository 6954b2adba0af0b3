#include "core/plan/lower/guard_domains.hpp"

#include <algorithm>
#include <map>

#include "core/base/error.hpp"
#include "core/plan/range_set.hpp"

namespace convoy::plan {
namespace {

ElementRange target(const Operation& update) {
  return range_of(update.writes.front());
}

bool covers_once(const ArenaMap& arena, const UpdateDomain& updates) {
  RangeSet covered;
  for (const Operation* update : updates) {
    if (covered.overlaps(target(*update))) return false;
    covered.add(target(*update));
  }
  return covered.is_exactly({0, arena.elements});
}

void sort_by_range(UpdateDomain& updates) {
  std::sort(updates.begin(), updates.end(), [](const Operation* a, const Operation* b) {
    return target(*a).first < target(*b).first;
  });
}

}  // namespace

std::vector<UpdateDomain> make_domains(const ArenaMap& arena,
                                       const std::vector<const Operation*>& updates) {
  UpdateDomain all = updates;
  if (covers_once(arena, all)) {
    sort_by_range(all);
    return {all};
  }
  std::map<std::uint32_t, UpdateDomain> by_buffer;
  for (const Operation* update : updates)
    by_buffer[update->writes.front().buffer].push_back(update);
  std::vector<UpdateDomain> domains;
  for (auto& [buffer, domain] : by_buffer) {
    if (!covers_once(arena, domain))
      fail(ExitCode::kUsage,
           "this strategy's plan has no norm of the whole gradient: a step updates only {} of {} "
           "ranges in one place and shares none of them; automatic loss scaling and clipping by "
           "global norm need strategies that update all variables in every step",
           domain.size(), updates.size());
    sort_by_range(domain);
    domains.push_back(std::move(domain));
  }
  return domains;
}

}  // namespace convoy::plan
