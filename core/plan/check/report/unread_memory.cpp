#include "core/plan/check/report/unread_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/plan/schedule/live_ranges.hpp"
#include "core/plan/stages.hpp"

namespace convoy::plan::check {
namespace {

void mark_read(const std::vector<std::vector<ElementRange>>& ranges, std::vector<bool>& read) {
  for (std::size_t buffer = 0; buffer < ranges.size(); ++buffer)
    read[buffer] = read[buffer] || !ranges[buffer].empty();
}

// Returns the buffer's name. If it has only a number, adds the operation that writes it last.
std::string name_or_writer(const Plan& plan, std::uint32_t buffer, const Operation& last) {
  if (!plan.buffers[buffer].name->empty()) return plan.buffer_name(buffer);
  return fmt::format("{} (written by {}, operation {}; Planner::name gives it a name)",
                     plan.buffer_name(buffer), operation_name(last.kind), last.id);
}

// Returns the last writer by buffer; null if the buffer is not persistent or nothing writes it.
std::vector<const Operation*> last_writers(const Plan& plan) {
  std::vector<const Operation*> last(plan.buffers.size(), nullptr);
  for (const auto* body : bodies_of(plan))
    for (const Operation& operation : *body)
      for (const PlanSpan& span : operation.writes)
        if (plan.buffers[span.buffer].kind == CONVOY_BUFFER_PERSISTENT)
          last[span.buffer] = &operation;
  return last;
}

// Returns, by buffer, whether a later step reads any part of it.
std::vector<bool> read_later(const Plan& plan) {
  std::vector<bool> read(plan.buffers.size(), false);
  if (plan.later.empty()) {
    mark_read(live_ranges(plan, 0), read);
    return read;
  }
  for (std::size_t stage = 0; stage < stage_count(plan); ++stage) {
    const Plan alone = stage_of(plan, stage);
    mark_read(live_ranges(alone, 0), read);
    if (stage > 0) mark_read(entered_ranges(alone), read);
  }
  return read;
}

}  // namespace

std::vector<std::string> unread_memory(const Plan& plan) {
  const std::vector<const Operation*> last = last_writers(plan);
  // Returns early, because plans of a million operations often have no persistent memory.
  if (std::ranges::count(last, nullptr) == std::ssize(last)) return {};
  const std::vector<bool> read = read_later(plan);
  std::vector<std::string> names;
  for (std::uint32_t buffer = 0; buffer < plan.buffers.size(); ++buffer)
    if (last[buffer] != nullptr && !read[buffer])
      names.push_back(name_or_writer(plan, buffer, *last[buffer]));
  return names;
}

}  // namespace convoy::plan::check
