#include "core/plan/validate_rules.hpp"

#include "core/base/error.hpp"
#include "core/plan/spans_by_buffer.hpp"

namespace convoy::plan {
namespace {

void require_single_write(const SpansByBuffer& writes, std::size_t index, const PlanSpan& write) {
  writes.for_each_overlap(write, [&](std::size_t other) {
    if (other > index) fail(ExitCode::kFailed, "two writes overlap");
  });
}

// Returns where each span begins if all are put one after the other. If the spans are not pieces of
// a whole, all begin at 0.
std::vector<std::uint64_t> offsets(std::span<const PlanSpan> spans, bool are_pieces) {
  std::vector<std::uint64_t> result(spans.size(), 0);
  for (std::size_t i = 1; are_pieces && i < spans.size(); ++i)
    result[i] = result[i - 1] + spans[i - 1].count;
  return result;
}

}  // namespace

void require_no_straddling(const Operation& operation) {
  const SpansByBuffer writes(operation.writes);
  const SpansByBuffer reads(operation.reads);
  for (std::size_t i = 0; i < operation.writes.size(); ++i) {
    const PlanSpan& write = operation.writes[i];
    require_single_write(writes, i, write);
    reads.for_each_overlap(write, [&](std::size_t j) {
      if (!same_span(write, operation.reads[j]))
        fail(ExitCode::kFailed, "a write overlaps a read without being the same span");
    });
  }
}

void require_aligned(const Operation& operation) {
  const SpansByBuffer writes(operation.writes);
  const SpansByBuffer reads(operation.reads);
  const auto write_offsets =
      offsets(operation.writes, operation.kind == OperationKind::kReduceScatter);
  const auto read_offsets = offsets(operation.reads, operation.kind == OperationKind::kAllGather);
  for (std::size_t i = 0; i < operation.writes.size(); ++i) {
    const PlanSpan& write = operation.writes[i];
    reads.for_each_overlap(write, [&](std::size_t j) {
      const bool aligned =
          write.first + read_offsets[j] == operation.reads[j].first + write_offsets[i];
      const bool paired = operation.kind != OperationKind::kAllReduce || i == j;
      if (!aligned || !paired)
        fail(ExitCode::kFailed, "write {} overlaps read {} at another position", i, j);
    });
    require_single_write(writes, i, write);
  }
}

}  // namespace convoy::plan
