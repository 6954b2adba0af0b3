#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/plan/operation.hpp"

namespace convoy::plan {

// A growing set of spans, by buffer: a collective of thousands of devices has thousands of spans,
// nearly all of different buffers.
class SpanSet {
 public:
  SpanSet() = default;
  explicit SpanSet(const SpanList& spans) {
    for (const PlanSpan& span : spans) add(span);
  }

  void add(const PlanSpan& span) {
    all_.push_back(span);
    by_buffer_[span.buffer].push_back(span);
  }
  const std::vector<PlanSpan>& all() const { return all_; }
  bool holds(const PlanSpan& span) const {
    return any(span, [&](const PlanSpan& it) { return same_span(it, span); });
  }
  bool touches(const PlanSpan& span) const {
    return any(span, [&](const PlanSpan& it) { return overlap(it, span); });
  }
  bool touches(const SpanList& spans) const {
    return std::ranges::any_of(spans, [&](const PlanSpan& span) { return touches(span); });
  }

 private:
  template <typename Is>
  bool any(const PlanSpan& span, Is is) const {
    const auto known = by_buffer_.find(span.buffer);
    return known != by_buffer_.end() && std::ranges::any_of(known->second, is);
  }

  std::vector<PlanSpan> all_;
  std::unordered_map<std::uint32_t, std::vector<PlanSpan>> by_buffer_;
};

}  // namespace convoy::plan
