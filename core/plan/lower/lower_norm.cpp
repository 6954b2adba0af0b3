#include "core/plan/lower/lower_operations.hpp"

#include <algorithm>
#include <span>

namespace convoy::plan {
namespace {

struct Piece {
  std::uint32_t engine = 0;
  ElementRange range{};
};

// Appends the pieces of a share. A span that the engine addresses stays whole; other pieces are no
// larger than a staging buffer.
void append_pieces(const Lowering& lowering, const Operation& norm, const Piece& share,
                   std::vector<Piece>& pieces) {
  const std::uint64_t end = share.range.first + share.range.count;
  const std::uint64_t largest = lowering.can_access_all(share.engine, norm)
                                    ? share.range.count
                                    : lowering.options().staging_elements;
  for (std::uint64_t first = share.range.first; first < end; first += largest)
    pieces.push_back({share.engine, {first, std::min(largest, end - first)}});
}

std::vector<Piece> cut(const Lowering& lowering, const Operation& norm) {
  const std::span<const std::uint32_t> engines = lowering.engines(norm.place);
  const std::uint64_t count = element_count(norm);
  std::vector<Piece> pieces;
  if (count < lowering.options().slice_elements * engines.size()) {
    append_pieces(lowering, norm, {engines[norm.source % engines.size()], {0, count}}, pieces);
    return pieces;
  }
  const std::vector<ElementRange> shares = slices(count, engines.size());
  for (std::size_t i = 0; i < shares.size(); ++i)
    append_pieces(lowering, norm, {engines[i], shares[i]}, pieces);
  return pieces;
}

Operation norm_of(const Operation& norm, const PlanSpan& parts) {
  Operation total;
  total.kind = OperationKind::kNorm;
  total.source = norm.source;
  total.phase = norm.phase;
  total.contributions = 1;
  total.reads = {parts};
  total.writes = norm.writes;
  return total;
}

}  // namespace

void lower_norm(Lowering& lowering, const Operation& norm) {
  const std::vector<Piece> pieces = cut(lowering, norm);
  const std::uint32_t home = lowering.place_of(norm.writes.front());
  const PlanSpan parts =
      pieces.size() == 1 ? norm.writes.front() : lowering.scratch(home, pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    Operation piece = slice(norm, pieces[i].range.first, pieces[i].range.count);
    piece.writes = {{parts.buffer, CONVOY_F32, parts.first + i, 1}};
    lowering.on_engine(piece, pieces[i].engine, CONVOY_LANE_UPDATE);
  }
  const bool reported = norm.variable != CONVOY_NONE;
  if (pieces.size() > 1 && !reported) lowering.at_place(norm_of(norm, parts), home);
}

}  // namespace convoy::plan
