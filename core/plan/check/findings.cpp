#include "core/plan/check/findings.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace convoy::plan::check {
namespace {

// Returns "conv1/kernel [0..64)": the variable in which the range begins, and elements relative to
// it. Adds the last variable if the range reaches further.
std::string describe_range(const ArenaMap& arena, const ElementRange& range) {
  const auto holder = [&](std::uint64_t element) -> const VariableRange* {
    for (const VariableRange& it : arena.variables)
      if (element >= it.range.first && element < it.range.first + it.range.count) return &it;
    return nullptr;
  };
  const std::uint64_t end = range.first + range.count;
  const VariableRange* first = holder(range.first);
  if (first == nullptr) return fmt::format("arena [{}..{})", range.first, end);
  const std::uint64_t begin = first->range.first;
  if (end <= begin + first->range.count)
    return fmt::format("{} [{}..{})", first->name, range.first - begin, end - begin);
  return fmt::format("{} to {}, arena [{}..{})", first->name, arena.variable_at(end - 1),
                     range.first, end);
}

}  // namespace

bool leaves_open(FindingKind kind) {
  return kind == FindingKind::kUndeclared || kind == FindingKind::kUnknown ||
         kind == FindingKind::kBudget;
}

bool any_wrong(const std::vector<Finding>& findings) {
  return std::ranges::any_of(findings, [](const Finding& it) { return !leaves_open(it.kind); });
}

Finding finding_at(const Plan& plan, FindingKind kind, std::uint32_t operation,
                   std::uint32_t replica, const ElementRange& range, const std::string& what) {
  if (operation == CONVOY_NONE) return {kind, operation, replica, range, what};
  return {
      kind, operation, replica, range,
      fmt::format("{} (operation {}) on {}: {}", operation_name(operation_of(plan, operation).kind),
                  operation, describe_range(*plan.arena, range), what)};
}

}  // namespace convoy::plan::check
