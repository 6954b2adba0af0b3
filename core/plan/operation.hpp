#pragma once

#include <convoy/abi.h>
#include <convoy/operation_traits.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/plan/rare.hpp"
#include "core/plan/span_list.hpp"

namespace convoy::plan {

inline ElementRange range_of(const PlanSpan& span) {
  return {span.first, span.count};
}
// Returns the elements that both ranges contain; count 0 if there are none.
inline ElementRange common(const ElementRange& a, const ElementRange& b) {
  const std::uint64_t first = std::max(a.first, b.first);
  const std::uint64_t end = std::min(a.first + a.count, b.first + b.count);
  return {first, first < end ? end - first : 0};
}
inline bool same_span(const PlanSpan& a, const PlanSpan& b) {
  return a.buffer == b.buffer && a.dtype == b.dtype && a.first == b.first && a.count == b.count;
}
inline bool overlap(const PlanSpan& a, const PlanSpan& b) {
  return a.buffer == b.buffer && a.first < b.first + b.count && b.first < a.first + a.count;
}

enum class OperationKind : std::uint32_t {
  kCopy = CONVOY_OP_COPY,
  kFill = CONVOY_OP_FILL,
  kAdd = CONVOY_OP_ADD,
  kSum = CONVOY_OP_SUM,
  kScale = CONVOY_OP_SCALE,
  kAxpy = CONVOY_OP_AXPY,
  kCast = CONVOY_OP_CAST,
  kMatmul = CONVOY_OP_MATMUL,
  kAllReduce = CONVOY_OP_ALL_REDUCE,
  kReduceScatter = CONVOY_OP_REDUCE_SCATTER,
  kAllGather = CONVOY_OP_ALL_GATHER,
  kBroadcast = CONVOY_OP_BROADCAST,
  kReduce = CONVOY_OP_REDUCE,
  kApply = CONVOY_OP_APPLY,
  kCall = CONVOY_OP_CALL,
  kForward = CONVOY_OP_FORWARD,
  kBackward = CONVOY_OP_BACKWARD,
  kNorm = CONVOY_OP_NORM,
  kAdaptLossScale = CONVOY_OP_ADAPT_LOSS_SCALE,
  kMultiply = CONVOY_OP_MULTIPLY,
  kDot = CONVOY_OP_DOT,
  kDivide = CONVOY_OP_DIVIDE,
  kSquareRoot = CONVOY_OP_SQUARE_ROOT,
  kOrthogonalise = CONVOY_OP_ORTHOGONALISE,
  kTopK = CONVOY_OP_TOP_K,
  kScatter = CONVOY_OP_SCATTER,
  kQuantise = CONVOY_OP_QUANTISE,
  kDequantise = CONVOY_OP_DEQUANTISE,
};

// Returns the traits of a kind that this version knows.
const OperationTraits& traits_of(OperationKind kind);
// Returns the name on screen and in traces, for example "all_reduce".
std::string_view operation_name(OperationKind kind);
bool is_collective(OperationKind kind);
bool is_compute(OperationKind kind);
// Whether operations of this kind write what they read, only at other places.
bool only_moves(OperationKind kind);
// Whether operations of this kind make messages of spans, or spans of messages.
bool is_compression(OperationKind kind);
// Whether element i of every write depends on element i of the reads alone, so that the operation
// may be cut anywhere.
bool is_elementwise(OperationKind kind);
// Whether the kind multiplies or divides read 0 by read 1, which may be one number for all
// elements.
bool has_factor(OperationKind kind);

std::string_view dtype_name(std::uint32_t dtype);
std::uint64_t dtype_bytes(std::uint32_t dtype);

// The lane of copies between hosts, behind those that devices have (convoy_lane).
inline constexpr std::uint32_t kNetworkLane = CONVOY_LANE_UPDATE + 1;
// "compute", "copy in".
std::string_view lane_name(std::uint32_t lane);

// The fields that only few kinds use: calls, products of matrices, orthogonalisation, compression,
// the loss scale.
struct OperationDetails {
  std::uint64_t sizes[4] = {0, 0, 0, 0};
  std::string kernel;
  std::uint64_t bytes = 0;
  std::uint64_t flops = 0;
  std::uint32_t effect = CONVOY_CALL_UNDECLARED;  // convoy_call_effect

  bool operator==(const OperationDetails&) const = default;
};

// One operation of a plan. In a logical plan, `id` counts the prologue and then the body, and place
// may be CONVOY_NONE. In a lowered plan, every operation runs on one engine, and `source` is the
// logical id. Plans for many hosts have millions of operations, so the struct is small.
struct Operation {
  std::uint32_t id = 0;
  std::uint32_t source = 0;
  OperationKind kind = OperationKind::kCopy;
  std::uint32_t flags = 0;
  std::uint32_t place = CONVOY_NONE;
  std::uint32_t replica = CONVOY_NONE;
  std::uint32_t segment = CONVOY_NONE;   // lowered compute operations
  std::uint32_t variable = CONVOY_NONE;  // for reported norms: the variable of the arena
  std::uint32_t phase = 0;               // the compute of the period to which it belongs
  std::uint8_t reduction = CONVOY_REDUCE_SUM;
  std::uint8_t algorithm = CONVOY_ALGORITHM_DEVICE;
  std::uint8_t lane = CONVOY_LANE_COMPUTE;
  std::uint8_t priority = 0;  // below CONVOY_PRIORITIES; the highest goes first
  SpanList reads;
  SpanList writes;
  double scalar = 0;
  std::uint64_t contributions = 0;
  std::uint64_t max_lag = 0;
  std::uint64_t first_layer = 0;
  std::uint64_t layer_count = 0;
  Rare<OperationDetails> details;
};

// Whether the operation opts out of program order, by relaxed reads or by updates in any order.
bool is_loose(const Operation& operation);

// element_count() returns how many elements the operation works on. element_reads() returns how
// many of its reads, from the first one on, have that many elements. The other reads are the loss
// scale and the norm that the host added, or the one factor of multiply or divide for all elements.
std::uint64_t element_count(const Operation& operation);
std::size_t element_reads(const Operation& operation);
// Returns the read of an operation with CONVOY_OP_LOSS_SCALED that is the loss scale.
const PlanSpan& loss_scale_span(const Operation& operation);

}  // namespace convoy::plan
