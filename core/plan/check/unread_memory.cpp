#include "core/plan/check/unread_memory.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

#include "core/plan/schedule/live_ranges.hpp"
#include "core/plan/stages.hpp"

namespace convoy {
namespace {

void mark_read(const std::vector<std::vector<ElementRange>>& ranges, std::vector<bool>& read) {
  for (std::size_t buffer = 0; buffer < ranges.size(); ++buffer)
    read[buffer] = read[buffer] || !ranges[buffer].empty();
}

// With the operation that writes it last, where only a number names it.
std::string name_or_writer(const Plan& plan, std::uint32_t buffer, const Operation& last) {
  if (!plan.buffers[buffer].name.empty()) return plan.buffer_name(buffer);
  return fmt::format("{} (written by {}, operation {}; Planner::name gives it a name)",
                     plan.buffer_name(buffer), operation_name(last.kind), last.id);
}

}  // namespace

std::vector<std::string> unread_memory(const Plan& plan) {
  std::vector<bool> read(plan.buffers.size(), false);
  for (std::size_t stage = 0; stage < stage_count(plan); ++stage) {
    const Plan alone = stage_of(plan, stage);
    mark_read(live_ranges(alone, 0), read);
    if (stage > 0) mark_read(entered_ranges(alone), read);
  }
  std::vector<const Operation*> last(plan.buffers.size(), nullptr);
  for (const auto* body : bodies_of(plan))
    for (const Operation& operation : *body)
      for (const PlanSpan& span : operation.writes) last[span.buffer] = &operation;
  std::vector<std::string> names;
  for (std::uint32_t buffer = 0; buffer < plan.buffers.size(); ++buffer)
    if (plan.buffers[buffer].kind == CONVOY_BUFFER_PERSISTENT && last[buffer] != nullptr &&
        !read[buffer])
      names.push_back(name_or_writer(plan, buffer, *last[buffer]));
  return names;
}

}  // namespace convoy
