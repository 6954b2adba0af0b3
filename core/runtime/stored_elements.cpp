#include "core/runtime/stored_elements.hpp"

#include <algorithm>
#include <functional>

#include "core/base/error.hpp"
#include "core/plan/range_set.hpp"
#include "core/plan/stages.hpp"

namespace convoy::runtime {
namespace {

using Visit = std::function<void(const plan::Operation&, const plan::PlanSpan&)>;

void for_each_span(const plan::Plan& plan, const Visit& visit) {
  for (const std::vector<plan::Operation>* section : plan::sections_of(plan))
    for (const plan::Operation& operation : *section)
      for (const auto* spans : {&operation.reads, &operation.writes})
        for (const plan::PlanSpan& span : *spans) visit(operation, span);
}

std::vector<StoredElements> stored(const std::vector<plan::RangeSet>& sets) {
  std::vector<StoredElements> result;
  result.reserve(sets.size());
  for (const plan::RangeSet& set : sets) result.emplace_back(set.ranges());
  return result;
}

}  // namespace

StoredElements::StoredElements(const std::vector<plan::ElementRange>& ranges) {
  constexpr std::uint64_t kAlignment = 32;  // a cache line of the smallest type
  for (const plan::ElementRange& range : ranges) {
    const std::uint64_t skew = (range.first - count_) % kAlignment;
    parts_.push_back({range, count_ + skew});
    count_ += skew + range.count;
  }
}

std::uint64_t StoredElements::offset(const plan::ElementRange& range) const {
  if (range.count == 0) return 0;
  auto part =
      std::upper_bound(parts_.begin(), parts_.end(), range.first,
                       [](std::uint64_t first, const Part& it) { return first < it.range.first; });
  CONVOY_CHECK(part != parts_.begin());
  --part;
  const std::uint64_t skipped = range.first - part->range.first;
  CONVOY_CHECK(skipped + range.count <= part->range.count);
  return part->offset + skipped;
}

std::vector<StoredElements::Part> StoredElements::parts_in(const plan::ElementRange& range) const {
  std::vector<Part> result;
  for (const Part& part : parts_) {
    const plan::ElementRange inside = plan::common(range, part.range);
    if (inside.count > 0)
      result.push_back({inside, part.offset + (inside.first - part.range.first)});
  }
  return result;
}

std::vector<StoredElements> named_elements(const plan::Plan& plan) {
  std::vector<plan::RangeSet> named(plan.buffers.size());
  for_each_span(plan, [&](const plan::Operation& operation, const plan::PlanSpan& span) {
    const bool whole = plan::is_compute(operation.kind);
    const plan::ElementRange range =
        whole ? plan::ElementRange{0, plan.buffers[span.buffer].count} : plan::range_of(span);
    if (range.count > 0) named[span.buffer].add(range);
  });
  return stored(named);
}

std::vector<StoredElements> updated_elements(const plan::Plan& plan) {
  std::vector<plan::RangeSet> updated(plan.buffers.size());
  for (const std::vector<plan::Operation>* section : plan::sections_of(plan))
    for (const plan::Operation& operation : *section)
      if (operation.kind == plan::OperationKind::kApply)
        for (const plan::PlanSpan& span : operation.writes)
          if (span.count > 0) updated[span.buffer].add(plan::range_of(span));
  return stored(updated);
}

}  // namespace convoy::runtime
