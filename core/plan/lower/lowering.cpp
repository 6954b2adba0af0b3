#include "core/plan/lower/lowering.hpp"

#include <algorithm>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/process/large_pages.hpp"
#include "core/plan/lower/lower_operations.hpp"
#include "core/plan/validate.hpp"

namespace convoy::plan {
namespace {

// Staging slots: two of each operand of an operation, then those of passages and of outboxes, two
// of each place. A key has 24 bits for a slot.
constexpr std::uint32_t kFirstPassageSlot = 2 * static_cast<std::uint32_t>(kMaximumSpans);
constexpr std::uint32_t kFirstOutboxSlot = 2 * kFirstPassageSlot;
static_assert(2 * std::uint64_t{kFirstOutboxSlot} <= 1u << 24);

}  // namespace

std::vector<ElementRange> slices(std::uint64_t count, std::uint64_t pieces) {
  constexpr std::uint64_t kLine = 16;
  const std::uint64_t lines = (count + kLine - 1) / kLine;
  std::vector<ElementRange> result;
  for (std::uint64_t i = 0; i < pieces; ++i) {
    const std::uint64_t begin = std::min(count, lines * i / pieces * kLine);
    const std::uint64_t end = std::min(count, lines * (i + 1) / pieces * kLine);
    if (end > begin) result.push_back({begin, end - begin});
  }
  return result;
}

Operation slice(const Operation& operation, std::uint64_t first, std::uint64_t count) {
  Operation piece = operation;
  const auto narrow = [&](PlanSpan& span) {
    span.first += first;
    span.count = count;
  };
  const std::size_t reads = element_reads(operation);
  for (std::size_t i = 0; i < reads; ++i) narrow(piece.reads[i]);
  if (piece.kind != OperationKind::kNorm)
    for (PlanSpan& span : piece.writes) narrow(span);
  return piece;
}

void emit_slices(Lowering& lowering, const Operation& operation,
                 const std::vector<std::uint32_t>& owners, std::uint64_t least,
                 std::uint32_t lane) {
  const std::uint64_t count = operation.writes.front().count;
  const bool small = count < least;
  const std::vector<ElementRange> parts = slices(count, small ? 1 : owners.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t owner = small ? operation.source % owners.size() : i;
    lowering.emit(slice(operation, parts[i].first, parts[i].count), owners[owner], lane);
  }
}

Lowering::Lowering(const Plan& logical, const Cluster& cluster, const LoweringOptions& options)
    : logical_(logical), cluster_(cluster), options_(options) {
  plan_.cluster = &cluster;
  plan_.arena = logical.arena;
  plan_.buffers = logical.buffers;
  plan_.computes = logical.computes;
  places_.resize(cluster.places.size());
  std::iota(places_.begin(), places_.end(), 0u);
  parity_.assign(2 * places_.size(), 0);
}

void Lowering::require_room(std::size_t operations) {
  if (operations <= kMaximumLoweredOperations) return;
  fail(ExitCode::kUsage,
       "what the plan becomes on these devices has more than {} operations; a larger "
       "--bucket_mb, fewer devices, and collectives that the devices do themselves need less",
       kMaximumLoweredOperations);
}

void Lowering::reserve(std::size_t operations) {
  reserve_large(plan_.body, std::min(operations, kMaximumLoweredOperations));
}

void Lowering::append(Operation&& operation) {
  std::vector<Operation>& section = in_body_ ? plan_.body : plan_.prologue;
  require_room(section.size() + 1);
  operation.priority = priority_;
  operation.id = next_id_++;
  section.push_back(std::move(operation));
}

bool Lowering::is_host(std::uint32_t place) const {
  return cluster_.places[place].kind == CONVOY_PLACE_HOST;
}

std::uint32_t Lowering::host_of(std::uint32_t place) const {
  return cluster_.places[place].host;
}

bool Lowering::is_on_network(std::uint32_t place) const {
  const std::uint32_t host = cluster_.places[place].near_place;
  return is_host(place) || can_access(host, place);
}

bool Lowering::can_access(std::uint32_t engine, std::uint32_t place) const {
  return engine == place || cluster_.access[engine][place];
}

bool Lowering::can_access_all(std::uint32_t engine, const Operation& operation) const {
  const auto reachable = [&](const PlanSpan& span) { return can_access(engine, place_of(span)); };
  return std::all_of(operation.reads.begin(), operation.reads.end(), reachable) &&
         std::all_of(operation.writes.begin(), operation.writes.end(), reachable);
}

bool Lowering::all_can_access_all(const std::vector<std::uint32_t>& engines,
                                  const Operation& operation) const {
  std::vector<std::uint32_t> places;
  places.reserve(operation.reads.size() + operation.writes.size());
  for (const auto* spans : {&operation.reads, &operation.writes})
    for (const PlanSpan& span : *spans) places.push_back(place_of(span));
  if (places != access_.places || engines != access_.engines) {
    const bool is_possible = std::ranges::all_of(
        engines, [&](std::uint32_t engine) { return can_access_all(engine, operation); });
    access_ = {engines, std::move(places), is_possible};
  }
  return access_.is_possible;
}

std::span<const std::uint32_t> Lowering::engines(std::uint32_t place) const {
  const std::vector<std::uint32_t>& served_by = cluster_.places[place].served_by;
  if (served_by.empty()) return {&places_[place], 1};
  return served_by;
}

void Lowering::emit(Operation operation, std::uint32_t engine, std::uint32_t lane) {
  CONVOY_CHECK(can_access_all(engine, operation));
  operation.place = engine;
  operation.lane = static_cast<std::uint8_t>(lane);
  for (const PlanSpan& span : operation.writes) {
    if (span.buffer >= last_writers_.size()) last_writers_.resize(span.buffer + 1, CONVOY_NONE);
    last_writers_[span.buffer] = engine;
  }
  append(std::move(operation));
}

void Lowering::emit_collective(const Operation& collective) {
  Operation operation = collective;
  operation.place = place_of(collective.writes.front());
  for (const auto* spans : {&collective.reads, &collective.writes})
    for (const PlanSpan& span : *spans) operation.place = std::min(operation.place, place_of(span));
  operation.lane = CONVOY_LANE_COLLECTIVE;
  append(std::move(operation));
}

void Lowering::emit_network_copy(Operation copy) {
  CONVOY_CHECK(host_of(place_of(copy.reads.front())) != host_of(place_of(copy.writes.front())));
  const std::uint32_t target = place_of(copy.writes.front());
  copy.place = is_host(target) ? target : cluster_.places[target].near_place;
  copy.lane = kNetworkLane;
  append(std::move(copy));
}

void Lowering::at_place(const Operation& operation, std::uint32_t place, std::uint32_t lane) {
  const std::span<const std::uint32_t> candidates = engines(place);
  if ((operation.flags & CONVOY_OP_ANY_ORDER) != 0 && !operation.reads.empty()) {
    const std::uint32_t bringer = last_writer(operation.reads.front());
    if (std::ranges::count(candidates, bringer) > 0) return on_engine(operation, bringer, lane);
  }
  const std::uint64_t count = operation.writes.front().count;
  if (!is_elementwise(operation.kind) || candidates.size() == 1 ||
      count < options_.slice_elements * candidates.size())
    return on_engine(operation, candidates[turn_++ % candidates.size()], lane);
  const std::vector<ElementRange> parts = slices(count, candidates.size());
  for (std::size_t i = 0; i < parts.size(); ++i)
    on_engine(slice(operation, parts[i].first, parts[i].count), candidates[i], lane);
}

std::uint32_t Lowering::last_writer(const PlanSpan& span) const {
  return span.buffer < last_writers_.size() ? last_writers_[span.buffer] : CONVOY_NONE;
}

void Lowering::on_engine(const Operation& operation, std::uint32_t engine, std::uint32_t lane) {
  if (can_access_all(engine, operation)) return emit(operation, engine, lane);
  if (!is_elementwise(operation.kind) && operation.kind != OperationKind::kNorm)
    refuse_remote(operation, engine);
  staged(operation, engine, lane);
}

void Lowering::refuse_remote(const Operation& operation, std::uint32_t engine) const {
  const auto is_remote = [&](const PlanSpan& span) { return !can_access(engine, place_of(span)); };
  const auto read = std::ranges::find_if(operation.reads, is_remote);
  const bool reads = read != operation.reads.end();
  const PlanSpan& span = reads ? *read : *std::ranges::find_if(operation.writes, is_remote);
  fail(ExitCode::kFailed, "operation {} ({}) at {} {} {}, which this place cannot address; {}",
       operation.source, operation_name(operation.kind), cluster_.places[engine].name,
       reads ? "reads" : "writes", plan_.span_name(span),
       reads ? "copy it to memory of the place first"
             : "let it write memory of the place, and copy from there");
}

// Copies remote reads to slots at the engine, and slots to remote writes. Two halves alternate, so
// that copying the next piece in overlaps with the work on this one.
void Lowering::staged(const Operation& operation, std::uint32_t engine, std::uint32_t lane) {
  const std::uint64_t count = element_count(operation);
  for (std::uint64_t first = 0; first < count; first += options_.staging_elements) {
    const std::uint64_t size = std::min(options_.staging_elements, count - first);
    Operation piece = slice(operation, first, size);
    const std::uint32_t half = parity_[engine]++ % 2;
    std::uint32_t slot = 0;
    for (PlanSpan& span : piece.reads) {
      const PlanSpan remote = span;
      if (!stage(span, engine, 2 * slot + half, span.count)) continue;
      copy_between(operation, span, remote);
      ++slot;
    }
    std::vector<std::pair<PlanSpan, PlanSpan>> outputs;  // to, from
    for (PlanSpan& span : piece.writes) {
      const PlanSpan remote = span;
      if (!stage(span, engine, 2 * slot + half, span.count)) continue;
      outputs.emplace_back(remote, span);
      ++slot;
    }
    emit(std::move(piece), engine, lane);
    for (const auto& [to, from] : outputs) copy_between(operation, to, from);
  }
}

// If the engine does not address the span, replaces the span by a slot and returns true.
bool Lowering::stage(PlanSpan& span, std::uint32_t engine, std::uint32_t slot,
                     std::uint64_t count) {
  if (can_access(engine, place_of(span))) return false;
  span = staging(engine, slot, span.dtype, count);
  return true;
}

void Lowering::copy_between(const Operation& like, const PlanSpan& to, const PlanSpan& from) {
  Operation copy;
  copy.source = like.source;
  copy.phase = like.phase;
  copy.reads = {from};
  copy.writes = {to};
  const std::uint32_t target = place_of(to);
  const std::uint32_t origin = place_of(from);
  if (can_access(target, origin)) return emit(std::move(copy), target, CONVOY_LANE_COPY_IN);
  if (can_access(origin, target)) return emit(std::move(copy), origin, CONVOY_LANE_COPY_OUT);
  if (host_of(origin) != host_of(target)) return copy_over_network(*this, copy);
  copy_through_host(copy);
}

void Lowering::copy_through_host(const Operation& copy) {
  const std::uint32_t target = place_of(copy.writes[0]);
  const std::uint32_t origin = place_of(copy.reads[0]);
  const std::uint32_t host = cluster_.places[target].near_place;
  const std::uint64_t count = copy.writes[0].count;
  for (std::uint64_t first = 0; first < count; first += options_.staging_elements) {
    const std::uint64_t size = std::min(options_.staging_elements, count - first);
    Operation out = slice(copy, first, size);
    const PlanSpan through = passage(host, Passage::kTo, target, copy.writes[0].dtype, size);
    Operation in = out;
    out.writes = {through};
    emit(std::move(out), origin, CONVOY_LANE_COPY_OUT);
    in.reads = {through};
    in.flags &= ~std::uint32_t{CONVOY_OP_RELAXED_READS};  // the passage never holds old values
    emit(std::move(in), target, CONVOY_LANE_COPY_IN);
  }
}

PlanSpan Lowering::passage(std::uint32_t place, Passage way, std::uint32_t device,
                           std::uint32_t dtype, std::uint64_t count) {
  const auto places = static_cast<std::uint32_t>(places_.size());
  const std::uint32_t user = way == Passage::kTo ? device : places + device;
  return staging(place, kFirstPassageSlot + 2 * user + parity_[user]++ % 2, dtype, count);
}

PlanSpan Lowering::outbox(std::uint32_t place, std::uint32_t user, std::uint32_t dtype,
                          std::uint64_t count) {
  constexpr std::uint64_t kLine = 16;  // elements: no two pieces share a cache line
  Outbox& box = outboxes_[staging_key(place, kFirstOutboxSlot + 2 * user, dtype)];
  if (box.used + count > options_.staging_elements) box = {1 - box.half, 0};
  PlanSpan span = staging(place, kFirstOutboxSlot + 2 * user + box.half, dtype, count);
  span.first = box.used;
  box.used += (count + kLine - 1) / kLine * kLine;
  return span;
}

std::uint64_t Lowering::staging_key(std::uint32_t place, std::uint32_t slot,
                                    std::uint32_t dtype) const {
  return std::uint64_t{place} << 32 | std::uint64_t{slot} << 8 | std::uint64_t{priority_} << 4 |
         dtype;
}

PlanSpan Lowering::staging(std::uint32_t place, std::uint32_t slot, std::uint32_t dtype,
                           std::uint64_t count) {
  const auto [it, inserted] = staging_buffers_.try_emplace(
      staging_key(place, slot, dtype), static_cast<std::uint32_t>(plan_.buffers.size()));
  if (inserted)
    plan_.buffers.push_back(
        {CONVOY_BUFFER_SCRATCH, place, 0, dtype, options_.staging_elements, place});
  return {it->second, dtype, 0, count};
}

PlanSpan Lowering::scratch(std::uint32_t place, std::uint64_t count) {
  const auto buffer = static_cast<std::uint32_t>(plan_.buffers.size());
  plan_.buffers.push_back({CONVOY_BUFFER_SCRATCH, place, 0, CONVOY_F32, count, place});
  return {buffer, CONVOY_F32, 0, count};
}

Plan Lowering::finish() {
  return std::move(plan_);
}

}  // namespace convoy::plan
