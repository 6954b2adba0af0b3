#include "core/plan/operation.hpp"

#include "core/base/error.hpp"

namespace convoy {

std::string_view operation_name(OperationKind kind) {
  switch (kind) {
    case OperationKind::kCopy:
      return "copy";
    case OperationKind::kFill:
      return "fill";
    case OperationKind::kAdd:
      return "add";
    case OperationKind::kSum:
      return "sum";
    case OperationKind::kScale:
      return "scale";
    case OperationKind::kAxpy:
      return "axpy";
    case OperationKind::kCast:
      return "cast";
    case OperationKind::kMatmul:
      return "matmul";
    case OperationKind::kAllReduce:
      return "all_reduce";
    case OperationKind::kReduceScatter:
      return "reduce_scatter";
    case OperationKind::kAllGather:
      return "all_gather";
    case OperationKind::kBroadcast:
      return "broadcast";
    case OperationKind::kReduce:
      return "reduce";
    case OperationKind::kApply:
      return "apply";
    case OperationKind::kCall:
      return "call";
    case OperationKind::kForward:
      return "forward";
    case OperationKind::kBackward:
      return "backward";
    case OperationKind::kNorm:
      return "norm";
    case OperationKind::kAdaptLossScale:
      return "adapt_loss_scale";
    case OperationKind::kMultiply:
      return "multiply";
    case OperationKind::kDot:
      return "dot";
    case OperationKind::kDivide:
      return "divide";
    case OperationKind::kSquareRoot:
      return "square_root";
    case OperationKind::kOrthogonalise:
      return "orthogonalise";
    case OperationKind::kTopK:
      return "top_k";
    case OperationKind::kScatter:
      return "scatter";
    case OperationKind::kQuantise:
      return "quantise";
    case OperationKind::kDequantise:
      return "dequantise";
  }
  return "unknown";
}

bool is_collective(OperationKind kind) {
  return kind >= OperationKind::kAllReduce && kind <= OperationKind::kReduce;
}

bool is_compute(OperationKind kind) {
  return kind == OperationKind::kForward || kind == OperationKind::kBackward;
}

bool is_compression(OperationKind kind) {
  return kind == OperationKind::kTopK || kind == OperationKind::kScatter ||
         kind == OperationKind::kQuantise || kind == OperationKind::kDequantise;
}

bool is_elementwise(OperationKind kind) {
  return !is_collective(kind) && !is_compute(kind) && kind != OperationKind::kMatmul &&
         kind != OperationKind::kCall && kind != OperationKind::kNorm &&
         kind != OperationKind::kAdaptLossScale && kind != OperationKind::kDot &&
         kind != OperationKind::kOrthogonalise && !is_compression(kind);
}

bool has_factor(OperationKind kind) {
  return kind == OperationKind::kMultiply || kind == OperationKind::kDivide;
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

}  // namespace convoy
