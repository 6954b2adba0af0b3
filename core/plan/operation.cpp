#include "core/plan/operation.hpp"

#include "core/base/error.hpp"

namespace convoy::plan {

const OperationTraits& traits_of(OperationKind kind) {
  return *find_operation_traits(static_cast<std::uint32_t>(kind));
}

std::string_view operation_name(OperationKind kind) {
  const OperationTraits* const traits = find_operation_traits(static_cast<std::uint32_t>(kind));
  return traits == nullptr ? "unknown" : traits->name;
}

bool is_collective(OperationKind kind) {
  return traits_of(kind).work == OperationWork::kCollective;
}

bool is_compute(OperationKind kind) {
  return traits_of(kind).work == OperationWork::kCompute;
}

bool only_moves(OperationKind kind) {
  return kind == OperationKind::kCopy || kind == OperationKind::kBroadcast ||
         kind == OperationKind::kAllGather;
}

bool is_compression(OperationKind kind) {
  return traits_of(kind).work == OperationWork::kMessages;
}

bool is_elementwise(OperationKind kind) {
  return traits_of(kind).work == OperationWork::kElements;
}

bool has_factor(OperationKind kind) {
  return traits_of(kind).sizes == OperationSizes::kFactor;
}

bool is_loose(const Operation& operation) {
  return (operation.flags & (CONVOY_OP_RELAXED_READS | CONVOY_OP_ANY_ORDER)) != 0;
}

std::uint64_t element_count(const Operation& operation) {
  const bool norm = operation.kind == OperationKind::kNorm;
  return (norm ? operation.reads : operation.writes).front().count;
}

std::size_t element_reads(const Operation& operation) {
  if (has_factor(operation.kind))
    return operation.reads[1].count == operation.reads[0].count ? 2 : 1;
  const std::size_t added = ((operation.flags & CONVOY_OP_LOSS_SCALED) != 0 ? 1u : 0u) +
                            ((operation.flags & CONVOY_OP_NORMED) != 0 ? 1u : 0u);
  return operation.reads.size() - added;
}

const PlanSpan& loss_scale_span(const Operation& operation) {
  CONVOY_CHECK((operation.flags & CONVOY_OP_LOSS_SCALED) != 0);
  return operation.reads[element_reads(operation)];
}

std::string_view lane_name(std::uint32_t lane) {
  constexpr std::string_view kNames[] = {"compute",    "copy in", "copy out",
                                         "collective", "update",  "network"};
  CONVOY_CHECK_LT(lane, std::size(kNames));
  return kNames[lane];
}

std::string_view dtype_name(std::uint32_t dtype) {
  constexpr std::string_view kNames[] = {"f32", "f16", "bf16", "i32", "u8"};
  CONVOY_CHECK_LT(dtype, std::size(kNames));
  return kNames[dtype];
}

std::uint64_t dtype_bytes(std::uint32_t dtype) {
  constexpr std::uint64_t kBytes[] = {4, 2, 2, 4, 1};
  CONVOY_CHECK_LT(dtype, std::size(kBytes));
  return kBytes[dtype];
}

}  // namespace convoy::plan
