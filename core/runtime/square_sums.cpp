#include "core/runtime/square_sums.hpp"

#include <cstdint>
#include <iterator>
#include <map>

namespace convoy::runtime {

SquareSums choose_square_sums(const plan::Plan& lowered) {
  SquareSums result{std::vector<bool>(lowered.body.size(), false),
                    std::vector<bool>(lowered.computes, false)};
  for (std::uint32_t phase = 0; phase < lowered.computes; ++phase) {
    std::map<std::uint64_t, std::uint64_t> covered;  // first -> end, disjoint
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < lowered.body.size(); ++i) {
      const plan::Operation& operation = lowered.body[i];
      if (operation.kind != plan::OperationKind::kApply || operation.phase != phase) continue;
      const plan::PlanSpan& span = operation.writes.front();
      const auto after = covered.lower_bound(span.first + span.count);
      if (after != covered.begin() && std::prev(after)->second > span.first) continue;
      covered[span.first] = span.first + span.count;
      total += span.count;
      result.wanted[i] = true;
    }
    result.complete[phase] = total == lowered.arena->elements;
  }
  return result;
}

}  // namespace convoy::runtime
