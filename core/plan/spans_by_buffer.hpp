#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "core/plan/operation.hpp"

namespace convoy::plan {

// Finds the spans of a list that may overlap a given span: those of the same buffer. A collective
// of thousands of devices has thousands of spans, nearly all of different buffers.
class SpansByBuffer {
 public:
  explicit SpansByBuffer(std::span<const PlanSpan> spans) : spans_(spans) {
    constexpr std::size_t kFew = 16;  // up to this number, all spans are examined one by one
    if (spans.size() <= kFew) return;
    order_.resize(spans.size());
    std::iota(order_.begin(), order_.end(), 0u);
    std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return spans[a].buffer < spans[b].buffer;
    });
  }

  // Calls visit(index) for every span that overlaps this one, in the list's order.
  template <typename Visit>
  void for_each_overlap(const PlanSpan& with, Visit visit) const {
    if (order_.empty()) {
      for (std::uint32_t i = 0; i < spans_.size(); ++i)
        if (overlap(spans_[i], with)) visit(i);
      return;
    }
    auto it = std::lower_bound(
        order_.begin(), order_.end(), with.buffer,
        [&](std::uint32_t index, std::uint32_t buffer) { return spans_[index].buffer < buffer; });
    for (; it != order_.end() && spans_[*it].buffer == with.buffer; ++it)
      if (overlap(spans_[*it], with)) visit(*it);
  }

 private:
  std::span<const PlanSpan> spans_;
  std::vector<std::uint32_t> order_;  // empty if there are only few spans
};

}  // namespace convoy::plan
