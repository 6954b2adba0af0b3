#include "core/plan/check/unread_memory.hpp"

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

}  // namespace

std::vector<std::string> unread_memory(const Plan& plan) {
  std::vector<bool> read(plan.buffers.size(), false);
  for (std::size_t stage = 0; stage < stage_count(plan); ++stage) {
    const Plan alone = stage_of(plan, stage);
    mark_read(live_ranges(alone, 0), read);
    if (stage > 0) mark_read(entered_ranges(alone), read);
  }
  std::vector<bool> written(plan.buffers.size(), false);
  for (const auto* body : bodies_of(plan))
    for (const Operation& operation : *body)
      for (const PlanSpan& span : operation.writes) written[span.buffer] = true;
  std::vector<std::string> names;
  for (std::uint32_t buffer = 0; buffer < plan.buffers.size(); ++buffer)
    if (plan.buffers[buffer].kind == CONVOY_BUFFER_PERSISTENT && written[buffer] && !read[buffer])
      names.push_back(plan.buffer_name(buffer));
  return names;
}

}  // namespace convoy
