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

// Padding between variables may be left out.
bool covers_once(const ArenaMap& arena, const UpdateDomain& updates) {
  RangeSet covered;
  for (const Operation* update : updates) {
    if (covered.overlaps(target(*update))) return false;
    covered.add(target(*update));
  }
  return std::ranges::all_of(arena.variables, [&](const auto& variable) {
    bool whole = true;
    covered.for_each_gap(variable.range, [&](const ElementRange&) { whole = false; });
    return whole;
  });
}

void sort_by_range(UpdateDomain& updates) {
  std::sort(updates.begin(), updates.end(), [](const Operation* a, const Operation* b) {
    return target(*a).first < target(*b).first;
  });
}

// Returns the updates whose elements no other update changes.
UpdateDomain only_updates(const std::vector<const Operation*>& updates) {
  RangeSet once;
  RangeSet again;
  for (const Operation* update : updates)
    (once.overlaps(target(*update)) ? again : once).add(target(*update));
  UpdateDomain only;
  for (const Operation* update : updates)
    if (!again.overlaps(target(*update))) only.push_back(update);
  return only;
}

[[noreturn]] void refuse_incomplete_updates() {
  fail(ExitCode::kUsage,
       "this strategy's plan has no norm of the whole gradient: a step updates neither every "
       "variable in one place only, nor all others in each of several places; automatic loss "
       "scaling and clipping by global norm need strategies that update all variables in every "
       "step");
}

}  // namespace

std::vector<UpdateDomain> make_domains(const ArenaMap& arena,
                                       const std::vector<const Operation*>& updates,
                                       bool replicas_agree) {
  UpdateDomain all = updates;
  if (covers_once(arena, all)) {
    sort_by_range(all);
    return {all};
  }
  const UpdateDomain shared = only_updates(updates);
  std::map<std::uint32_t, UpdateDomain> by_buffer;
  for (const Operation* update : updates)
    if (std::ranges::find(shared, update) == shared.end())
      by_buffer[update->writes.front().buffer].push_back(update);
  if (by_buffer.empty() || (!shared.empty() && !replicas_agree)) refuse_incomplete_updates();
  std::vector<UpdateDomain> domains;
  for (auto& [buffer, domain] : by_buffer) {
    domain.insert(domain.end(), shared.begin(), shared.end());
    if (!covers_once(arena, domain)) refuse_incomplete_updates();
    sort_by_range(domain);
    domains.push_back(std::move(domain));
  }
  return domains;
}

}  // namespace convoy::plan
