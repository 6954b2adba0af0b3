#include "core/plan/lower/lower.hpp"

#include <algorithm>

#include "core/plan/lower/cut_updates.hpp"
#include "core/plan/lower/lower_operations.hpp"
#include "core/plan/lower/lowered_size.hpp"
#include "core/plan/lower/lowering.hpp"

namespace convoy::plan {
namespace {

// The place of either end may run a copy if it addresses both memories.
void lower_copy(Lowering& lowering, const Operation& copy) {
  const std::uint32_t from = lowering.place_of(copy.reads[0]);
  const std::uint32_t to = lowering.place_of(copy.writes[0]);
  if (lowering.host_of(to) != lowering.host_of(from)) return copy_over_network(lowering, copy);
  if (lowering.is_host(to) && lowering.is_host(from)) return lowering.at_place(copy, to);
  const std::uint32_t engine = lowering.is_host(to) ? from : to;
  const std::uint32_t other = engine == to ? from : to;
  const std::uint32_t lane = engine == to ? CONVOY_LANE_COPY_IN : CONVOY_LANE_COPY_OUT;
  if (lowering.can_access(engine, other)) return lowering.emit(copy, engine, lane);
  lowering.copy_through_host(copy);
}

// Lowers an update of several parameters, one per replica. Every device that holds some of them
// works on one slice of all of them, so that each gradient is read once.
void lower_update(Lowering& lowering, const Operation& update) {
  if (update.writes.size() == 1) return lowering.at_place(update, update.place);
  std::vector<std::uint32_t> owners;
  for (const PlanSpan& span : update.writes) {
    const std::uint32_t owner = lowering.engines(lowering.place_of(span)).front();
    if (std::find(owners.begin(), owners.end(), owner) == owners.end()) owners.push_back(owner);
  }
  emit_slices(lowering, update, owners, lowering.options().slice_elements * owners.size(),
              CONVOY_LANE_UPDATE);
}

// Emits one operation per segment: forward in order, backward in reverse. Their spans are narrowed
// to the segment's variables.
void lower_compute(Lowering& lowering, const Operation& compute) {
  const auto& segments = lowering.logical().arena->segments;
  const std::uint64_t end = compute.first_layer + compute.layer_count;
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < segments.size(); ++i)
    if (segments[i].first_layer >= compute.first_layer && segments[i].first_layer < end)
      order.push_back(i);
  if (compute.kind == OperationKind::kBackward) std::reverse(order.begin(), order.end());
  for (const std::uint32_t index : order) {
    Operation piece = compute;
    piece.segment = index;
    piece.first_layer = segments[index].first_layer;
    piece.layer_count = segments[index].layer_count;
    // Only the loss layer, which is the last one, multiplies by the loss scale.
    if ((piece.flags & CONVOY_OP_LOSS_SCALED) != 0 && index + 1 < segments.size()) {
      piece.flags &= ~std::uint32_t{CONVOY_OP_LOSS_SCALED};
      piece.reads.pop_back();
    }
    const auto narrow = [&](PlanSpan& span) {
      span.first = segments[index].range.first;
      span.count = segments[index].range.count;
    };
    narrow(piece.reads.front());
    std::for_each(piece.writes.begin(), piece.writes.end(), narrow);
    lowering.emit(std::move(piece), compute.place, CONVOY_LANE_COMPUTE);
  }
}

void lower_operation(Lowering& lowering, UpdateCutter& cutter, const Operation& operation) {
  lowering.begin(operation);
  if (is_compute(operation.kind)) return lower_compute(lowering, operation);
  if (is_collective(operation.kind)) return lower_collective(lowering, operation);
  if (operation.kind == OperationKind::kCopy) return lower_copy(lowering, operation);
  if (operation.kind == OperationKind::kNorm) return lower_norm(lowering, operation);
  if (operation.kind != OperationKind::kApply) return lowering.at_place(operation, operation.place);
  for (const Operation& piece : cutter.cut(operation)) lower_update(lowering, piece);
}

}  // namespace

Plan lower(const Plan& logical, const LoweringOptions& options) {
  return lower(logical, *logical.cluster, options, UpdateCounts(logical));
}

Plan lower(const Plan& stage, const Cluster& cluster, const LoweringOptions& options,
           const UpdateCounts& before) {
  Lowering lowering(stage, cluster, options);
  const LoweredSize size = expected_size(lowering, stage.body);
  Lowering::require_room(size.least);  // refuses a plan that is too large before millions of
                                       // operations are made
  lowering.reserve(size.about);
  UpdateCutter cutter(stage, before);
  for (const Operation& operation : stage.prologue) lower_operation(lowering, cutter, operation);
  lowering.begin_body();
  for (const Operation& operation : stage.body) lower_operation(lowering, cutter, operation);
  return lowering.finish();
}

}  // namespace convoy::plan
