// The properties of each kind of operation: its name, the number of its spans, and how it works on
// them. One row per kind, in the order of convoy_operation_kind. Host and devices read the same
// table.
#ifndef CONVOY_OPERATION_TRAITS_HPP
#define CONVOY_OPERATION_TRAITS_HPP

#include <convoy/abi/operation.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace convoy {

enum class OperationWork : std::uint8_t {
  kElements,    // element i of every write depends on element i of the reads alone
  kWhole,       // an element of a write may depend on every element of the reads
  kMessages,    // makes messages of spans, or spans of messages
  kCollective,  // between the members of a group
  kCompute      // layers of a replica
};

// Least and most spans. kManySpans: a strategy may name up to 4096; a lowered plan may have more.
struct SpanCounts {
  std::uint64_t least;
  std::uint64_t most;
};
inline constexpr std::uint64_t kManySpans = ~std::uint64_t{0};

struct OperationTraits {
  std::uint32_t kind;     // convoy_operation_kind
  std::string_view name;  // on screen, in traces and in manifests (needs=)
  OperationWork work;
  SpanCounts reads;
  SpanCounts writes;
  bool written_by_host = false;  // a strategy cannot write it
};

namespace traits_detail {
inline constexpr SpanCounts kNone{0, 0};
inline constexpr SpanCounts kOne{1, 1};
inline constexpr SpanCounts kTwo{2, 2};
inline constexpr SpanCounts kTwoOrThree{2, 3};
inline constexpr SpanCounts kMany{1, kManySpans};
using enum OperationWork;

inline constexpr OperationTraits kOperations[] = {
    {CONVOY_OP_COPY, "copy", kElements, kOne, kOne},
    {CONVOY_OP_FILL, "fill", kElements, kNone, kOne},
    {CONVOY_OP_ADD, "add", kElements, kTwo, kOne},
    {CONVOY_OP_SUM, "sum", kElements, kMany, kMany},
    {CONVOY_OP_SCALE, "scale", kElements, kOne, kOne},
    {CONVOY_OP_AXPY, "axpy", kElements, kTwo, kOne},
    {CONVOY_OP_CAST, "cast", kElements, kOne, kOne},
    {CONVOY_OP_MATMUL, "matmul", kWhole, kTwo, kOne},
    {CONVOY_OP_ALL_REDUCE, "all_reduce", kCollective, kMany, kMany},
    {CONVOY_OP_REDUCE_SCATTER, "reduce_scatter", kCollective, kMany, kMany},
    {CONVOY_OP_ALL_GATHER, "all_gather", kCollective, kMany, kMany},
    {CONVOY_OP_BROADCAST, "broadcast", kCollective, kOne, kMany},
    {CONVOY_OP_REDUCE, "reduce", kCollective, kMany, kOne},
    // A strategy writes it with one read and one write; lowering may fuse it with sums and
    // broadcasts.
    {CONVOY_OP_APPLY, "apply", kElements, kMany, kMany},
    {CONVOY_OP_CALL, "call", kWhole, kMany, kMany},
    {CONVOY_OP_FORWARD, "forward", kCompute, kOne, kNone},
    {CONVOY_OP_BACKWARD, "backward", kCompute, kOne, kOne},
    {CONVOY_OP_NORM, "norm", kWhole, kMany, kOne, true},
    {CONVOY_OP_ADAPT_LOSS_SCALE, "adapt_loss_scale", kWhole, kOne, kOne, true},
    {CONVOY_OP_MULTIPLY, "multiply", kElements, kTwo, kOne},
    {CONVOY_OP_DOT, "dot", kWhole, kTwo, kOne},
    {CONVOY_OP_DIVIDE, "divide", kElements, kTwo, kOne},
    {CONVOY_OP_SQUARE_ROOT, "square_root", kElements, kOne, kOne},
    {CONVOY_OP_ORTHOGONALISE, "orthogonalise", kWhole, kOne, kOne},
    {CONVOY_OP_TOP_K, "top_k", kMessages, kOne, kTwoOrThree},
    {CONVOY_OP_SCATTER, "scatter", kMessages, kTwoOrThree, kOne},
    {CONVOY_OP_QUANTISE, "quantise", kMessages, kOne, kTwoOrThree},
    {CONVOY_OP_DEQUANTISE, "dequantise", kMessages, kTwoOrThree, kOne},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < std::size(kOperations); ++i)
    if (kOperations[i].kind != CONVOY_OP_COPY + i) return false;
  return true;
}
static_assert(in_order());
}  // namespace traits_detail

// Null for a kind that this version does not know.
constexpr const OperationTraits* find_operation_traits(std::uint32_t kind) {
  const bool known =
      kind >= CONVOY_OP_COPY && kind - CONVOY_OP_COPY < std::size(traits_detail::kOperations);
  return known ? &traits_detail::kOperations[kind - CONVOY_OP_COPY] : nullptr;
}

// Null for a name that no operation of this version has.
constexpr const OperationTraits* find_operation_traits(std::string_view name) {
  for (const OperationTraits& row : traits_detail::kOperations)
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace convoy

#endif
