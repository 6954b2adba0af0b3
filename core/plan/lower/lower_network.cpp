#include "core/plan/lower/lower_operations.hpp"

#include <algorithm>

namespace convoy::plan {
namespace {

// Only the first copy may see old values, because it reads the author's span.
Operation between(const Operation& copy, const PlanSpan& to, const PlanSpan& from) {
  Operation leg = copy;
  if (!same_span(from, copy.reads.front())) leg.flags &= ~std::uint32_t{CONVOY_OP_RELAXED_READS};
  leg.reads = {from};
  leg.writes = {to};
  return leg;
}

bool is_relaxed(const Operation& copy) {
  return (copy.flags & CONVOY_OP_RELAXED_READS) != 0;
}

void copy_piece(Lowering& lowering, const Operation& piece) {
  const std::vector<Place>& places = lowering.cluster().places;
  const std::uint32_t origin = lowering.place_of(piece.reads.front());
  const std::uint32_t target = lowering.place_of(piece.writes.front());
  const std::uint32_t dtype = piece.writes.front().dtype;
  const std::uint64_t count = piece.writes.front().count;
  PlanSpan sent = piece.reads.front();
  if (!lowering.is_on_network(origin)) {
    sent =
        lowering.passage(places[origin].near_place, Lowering::Passage::kFrom, origin, dtype, count);
    lowering.emit(between(piece, sent, piece.reads.front()), origin, CONVOY_LANE_COPY_OUT);
  } else if (is_relaxed(piece)) {
    const std::uint32_t host = lowering.is_host(origin) ? origin : places[origin].near_place;
    sent = lowering.outbox(host, target, dtype, count);
    lowering.at_place(between(piece, sent, piece.reads.front()), host);
  }
  if (lowering.is_on_network(target))
    return lowering.emit_network_copy(between(piece, piece.writes.front(), sent));
  const PlanSpan received =
      lowering.passage(places[target].near_place, Lowering::Passage::kTo, target, dtype, count);
  lowering.emit_network_copy(between(piece, received, sent));
  lowering.emit(between(piece, piece.writes.front(), received), target, CONVOY_LANE_COPY_IN);
}

}  // namespace

void copy_over_network(Lowering& lowering, const Operation& copy) {
  const std::uint32_t origin = lowering.place_of(copy.reads.front());
  const std::uint32_t target = lowering.place_of(copy.writes.front());
  const bool whole =
      lowering.is_on_network(origin) && lowering.is_on_network(target) && !is_relaxed(copy);
  const std::uint64_t count = copy.writes.front().count;
  const std::uint64_t step = whole ? count : lowering.options().staging_elements;
  for (std::uint64_t first = 0; first < count; first += step)
    copy_piece(lowering, slice(copy, first, std::min(step, count - first)));
}

}  // namespace convoy::plan
