#include "core/plan/lower/lower_operations.hpp"

#include <algorithm>
#include <map>

#include "core/base/error.hpp"
#include "core/plan/lower/device_collective.hpp"

namespace convoy::plan {
namespace {

Operation derive(const Operation& collective, OperationKind kind, SpanList reads, SpanList writes) {
  Operation result;
  result.source = collective.source;
  result.phase = collective.phase;
  result.flags = collective.flags;
  result.max_lag = collective.max_lag;
  result.reduction = collective.reduction;
  result.kind = kind;
  result.reads = std::move(reads);
  result.writes = std::move(writes);
  return result;
}

PlanSpan part_of(const PlanSpan& span, const ElementRange& range) {
  return {span.buffer, span.dtype, span.first + range.first, range.count};
}

// Runs an operation at the place of its destination. In a collective, every destination has one
// engine.
void at_destination(Lowering& lowering, const Operation& operation) {
  const std::uint32_t place = lowering.place_of(operation.writes.front());
  if (lowering.is_host(place)) return lowering.at_place(operation, place, CONVOY_LANE_COLLECTIVE);
  lowering.on_engine(operation, place, CONVOY_LANE_COLLECTIVE);
}

void copy_to(Lowering& lowering, const Operation& collective, const PlanSpan& to,
             const PlanSpan& from) {
  if (same_span(to, from)) return;
  const Operation copy = derive(collective, OperationKind::kCopy, {from}, {to});
  if (lowering.host_of(lowering.place_of(to)) != lowering.host_of(lowering.place_of(from)))
    return copy_over_network(lowering, copy);
  at_destination(lowering, copy);
}

std::vector<std::uint32_t> participants(const Lowering& lowering, const Operation& it) {
  std::vector<std::uint32_t> engines;
  for (const PlanSpan& span : it.writes)
    engines.push_back(lowering.engines(lowering.place_of(span)).front());
  return engines;
}

// Every participant reduces one slice and writes the total to all members, without copies.
void lower_shared(Lowering& lowering, const Operation& it) {
  const std::vector<std::uint32_t> owners = participants(lowering, it);
  emit_slices(lowering, derive(it, OperationKind::kSum, it.reads, it.writes), owners,
              lowering.options().slice_elements, CONVOY_LANE_COLLECTIVE);
}

// Ring and tree work in place on the writes, which first receive the reads.
void gather_reads_into_writes(Lowering& lowering, const Operation& it) {
  for (std::size_t i = 0; i < it.writes.size(); ++i)
    copy_to(lowering, it, it.writes[i], it.reads[i]);
}

void accumulate(Lowering& lowering, const Operation& it, const PlanSpan& into,
                const PlanSpan& from) {
  at_destination(lowering, derive(it, OperationKind::kSum, {into, from}, {into}));
}

void lower_ring(Lowering& lowering, const Operation& it) {
  gather_reads_into_writes(lowering, it);
  const std::size_t n = it.writes.size();
  const std::vector<ElementRange> chunks = slices(it.writes.front().count, n);
  const auto chunk = [&](std::size_t index) { return (index + 2 * n) % n; };
  for (std::size_t step = 0; step + 1 < n; ++step)
    for (std::size_t from = 0; from < n; ++from) {
      const std::size_t c = chunk(from - step);
      if (c >= chunks.size()) continue;
      accumulate(lowering, it, part_of(it.writes[(from + 1) % n], chunks[c]),
                 part_of(it.writes[from], chunks[c]));
    }
  for (std::size_t step = 0; step + 1 < n; ++step)
    for (std::size_t from = 0; from < n; ++from) {
      const std::size_t c = chunk(from + 1 - step);
      if (c >= chunks.size()) continue;
      copy_to(lowering, it, part_of(it.writes[(from + 1) % n], chunks[c]),
              part_of(it.writes[from], chunks[c]));
    }
}

void lower_tree(Lowering& lowering, const Operation& it) {
  gather_reads_into_writes(lowering, it);
  const std::size_t n = it.writes.size();
  std::size_t stride = 1;
  for (; stride < n; stride *= 2)
    for (std::size_t i = 0; i + stride < n; i += 2 * stride)
      accumulate(lowering, it, it.writes[i], it.writes[i + stride]);
  for (stride /= 2; stride > 0; stride /= 2)
    for (std::size_t i = 0; i + stride < n; i += 2 * stride)
      copy_to(lowering, it, it.writes[i + stride], it.writes[i]);
}

// Returns, for every host, which spans of the collective are in its memory.
std::vector<std::vector<std::size_t>> members_by_host(const Lowering& lowering,
                                                      const Operation& it) {
  std::map<std::uint32_t, std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < it.writes.size(); ++i)
    members[lowering.host_of(lowering.place_of(it.writes[i]))].push_back(i);
  std::vector<std::vector<std::size_t>> result;
  result.reserve(members.size());
  for (auto& [host, indices] : members) result.push_back(std::move(indices));
  return result;
}

// Reduces inside every host to its first member, runs a ring over these members, and copies back
// inside every host. Each element crosses the network twice per host, for any number of devices.
void lower_two_level(Lowering& lowering, const Operation& it) {
  const std::vector<std::vector<std::size_t>> hosts = members_by_host(lowering, it);
  SpanList leaders;
  for (const std::vector<std::size_t>& members : hosts) {
    SpanList parts;
    for (const std::size_t i : members) parts.push_back(it.reads[i]);
    leaders.push_back(it.writes[members.front()]);
    at_destination(lowering, derive(it, OperationKind::kSum, std::move(parts), {leaders.back()}));
  }
  lower_ring(lowering, derive(it, OperationKind::kAllReduce, leaders, leaders));
  for (const std::vector<std::size_t>& members : hosts)
    for (const std::size_t i : members)
      copy_to(lowering, it, it.writes[i], it.writes[members.front()]);
}

void lower_all_reduce(Lowering& lowering, const Operation& it) {
  switch (all_reduce_way(lowering, it)) {
    case AllReduceWay::kShared:
      return lower_shared(lowering, it);
    case AllReduceWay::kRing:
      return lower_ring(lowering, it);
    case AllReduceWay::kTree:
      return lower_tree(lowering, it);
    case AllReduceWay::kTwoLevel:
      return lower_two_level(lowering, it);
  }
}

bool are_on_one_host(const Lowering& lowering, const SpanList& spans) {
  const auto host = [&](const PlanSpan& span) { return lowering.host_of(lowering.place_of(span)); };
  return std::ranges::all_of(
      spans, [&](const PlanSpan& span) { return host(span) == host(spans.front()); });
}

void lower_reduce_scatter(Lowering& lowering, const Operation& it) {
  std::uint64_t first = 0;
  for (const PlanSpan& piece : it.writes) {
    SpanList parts;
    for (const PlanSpan& span : it.reads) parts.push_back(part_of(span, {first, piece.count}));
    at_destination(lowering, derive(it, OperationKind::kSum, std::move(parts), {piece}));
    first += piece.count;
  }
}

void lower_all_gather(Lowering& lowering, const Operation& it) {
  for (const PlanSpan& span : it.writes) {
    std::uint64_t first = 0;
    for (const PlanSpan& piece : it.reads) {
      copy_to(lowering, it, part_of(span, {first, piece.count}), piece);
      first += piece.count;
    }
  }
}

}  // namespace

bool is_left_to_devices(const Lowering& lowering, const Operation& it) {
  const Cluster& cluster = lowering.cluster();
  const bool only = it.algorithm == CONVOY_ALGORITHM_DEVICE_ONLY;
  if (only && !cluster.no_device_collectives.empty())
    fail(ExitCode::kUsage,
         "operation {} ({}) is for the devices' own collectives, which cannot run here: {}; choose "
         "another way to sum",
         it.source, operation_name(it.kind), cluster.no_device_collectives);
  if (!cluster.device_collectives) return false;
  if (!only && it.algorithm != CONVOY_ALGORITHM_DEVICE &&
      it.algorithm != CONVOY_ALGORITHM_TWO_LEVEL)
    return false;
  return devices_can_run(it, lowering.logical());
}

AllReduceWay all_reduce_way(const Lowering& lowering, const Operation& it) {
  if (it.algorithm == CONVOY_ALGORITHM_RING) return AllReduceWay::kRing;
  if (it.algorithm == CONVOY_ALGORITHM_TREE) return AllReduceWay::kTree;
  if (lowering.all_can_access_all(participants(lowering, it), it)) return AllReduceWay::kShared;
  return are_on_one_host(lowering, it.writes) ? AllReduceWay::kRing : AllReduceWay::kTwoLevel;
}

void lower_collective(Lowering& lowering, const Operation& operation) {
  if (is_left_to_devices(lowering, operation)) return lowering.emit_collective(operation);
  switch (operation.kind) {
    case OperationKind::kAllReduce:
      return lower_all_reduce(lowering, operation);
    case OperationKind::kReduceScatter:
      return lower_reduce_scatter(lowering, operation);
    case OperationKind::kAllGather:
      return lower_all_gather(lowering, operation);
    case OperationKind::kBroadcast:
      for (const PlanSpan& to : operation.writes)
        copy_to(lowering, operation, to, operation.reads[0]);
      return;
    default:
      at_destination(lowering,
                     derive(operation, OperationKind::kSum, operation.reads, operation.writes));
  }
}

}  // namespace convoy::plan
