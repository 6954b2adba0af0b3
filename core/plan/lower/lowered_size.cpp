#include "core/plan/lower/lowered_size.hpp"

#include "core/plan/lower/lower_operations.hpp"

namespace convoy::plan {
namespace {

// Whether the collective's devices do not address each other's memory.
bool is_apart(const Lowering& lowering, const Operation& collective) {
  return !lowering.can_access(lowering.place_of(collective.writes.front()),
                              lowering.place_of(collective.reads.back()));
}

// Returns the least number of operations of a ring. Every neighbour adds all pieces but one to its
// own, and then copies as many. If devices do not address each other's memory, each piece is first
// copied through the host into memory of the device.
std::size_t least_of_ring(const Lowering& lowering, const SpanList& ring) {
  const std::size_t pieces = slices(ring.front().count, ring.size()).size() - 1;
  std::size_t least = 0;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const std::uint32_t from = lowering.place_of(ring[i]);
    const std::uint32_t to = lowering.place_of(ring[(i + 1) % ring.size()]);
    const bool through_host = !lowering.can_access(to, from) && !lowering.can_access(from, to) &&
                              lowering.host_of(from) == lowering.host_of(to);
    least += pieces * (through_host ? 3 + 3 : 1 + 1);
  }
  return least;
}

// An all_gather copies every read to every write, except reads that are already a part of a write.
// If devices do not address each other's memory, each copy takes two operations.
LoweredSize size_of_collective(const Lowering& lowering, const Operation& it) {
  const bool may_be_refused = it.algorithm == CONVOY_ALGORITHM_DEVICE_ONLY;
  if (may_be_refused || is_left_to_devices(lowering, it)) return {0, 1};
  const std::size_t reads = it.reads.size();
  const std::size_t pairs = reads * it.writes.size();
  const std::size_t staged = is_apart(lowering, it) ? 2 * pairs : 0;
  if (it.kind == OperationKind::kAllGather) return {pairs - reads, pairs + staged};
  if (it.kind == OperationKind::kAllReduce && all_reduce_way(lowering, it) == AllReduceWay::kRing) {
    const std::size_t least = least_of_ring(lowering, it.writes);
    return {least, reads + least};
  }
  return {0, 1 + reads + it.writes.size() + staged};
}

// Computes are cut into segments. Most other operations stay one, plus at most one staging copy per
// span.
LoweredSize size_of(const Lowering& lowering, const Operation& it) {
  if (is_collective(it.kind)) return size_of_collective(lowering, it);
  return {0, is_compute(it.kind) ? lowering.logical().arena->segments.size()
                                 : 1 + it.reads.size() + it.writes.size()};
}

}  // namespace

LoweredSize expected_size(const Lowering& lowering, const std::vector<Operation>& section) {
  LoweredSize sum;
  for (const Operation& operation : section) {
    const LoweredSize size = size_of(lowering, operation);
    sum.least += size.least;
    sum.about += size.about;
  }
  return sum;
}

}  // namespace convoy::plan
