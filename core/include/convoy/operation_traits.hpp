// The properties of each kind of operation: its name, how it works, and the number, types and sizes
// of its spans. One row per kind, in the order of convoy_operation_kind. Host and devices read the
// same table.
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

// Least and most spans. kManySpans: a strategy may name up to 2^20; a lowered plan may have more.
struct SpanCounts {
  std::uint64_t least;
  std::uint64_t most;
};
inline constexpr std::uint64_t kManySpans = ~std::uint64_t{0};

// The types of an operation's spans.
enum class OperationTypes : std::uint8_t {
  kAny,        // one type, whichever it is
  kNumber,     // one floating-point type; a device may know f32 only
  kConverted,  // two floating-point types
  kF32,
  kMessages,  // f32, codes in u8, indices in i32
  kOwn        // see the operation
};

// The numbers of elements of an operation's spans.
enum class OperationSizes : std::uint8_t {
  kEqual,
  kFactor,      // read 1 may have one element, which counts for all
  kSums,        // every write has one element; the reads have the same count
  kMatrices,    // sizes[0..3], see CONVOY_OP_MATMUL
  kTallMatrix,  // sizes[0..1] in every span: rows, and at most as many columns
  kOwn          // see the operation
};

// Fields of convoy_operation that only some kinds use; a strategy leaves them zero in the others.
enum OperationField : std::uint8_t { kUsesScalar = 1, kUsesSizes = 2 };

struct OperationTraits {
  std::uint32_t kind;     // convoy_operation_kind
  std::string_view name;  // on screen, in traces and in manifests (needs=)
  OperationWork work;
  SpanCounts reads;
  SpanCounts writes;
  OperationTypes types;
  OperationSizes sizes;
  std::uint8_t fields = 0;       // OperationField
  bool written_by_host = false;  // a strategy cannot write it
};

namespace traits_detail {
inline constexpr SpanCounts kNone{0, 0};
inline constexpr SpanCounts kOne{1, 1};
inline constexpr SpanCounts kTwo{2, 2};
inline constexpr SpanCounts kTwoOrThree{2, 3};
inline constexpr SpanCounts kMany{1, kManySpans};
using Work = OperationWork;
using Types = OperationTypes;
using Sizes = OperationSizes;

inline constexpr OperationTraits kOperations[] = {
    {CONVOY_OP_COPY, "copy", Work::kElements, kOne, kOne, Types::kAny, Sizes::kEqual},
    {CONVOY_OP_FILL, "fill", Work::kElements, kNone, kOne, Types::kAny, Sizes::kEqual, kUsesScalar},
    {CONVOY_OP_ADD, "add", Work::kElements, kTwo, kOne, Types::kNumber, Sizes::kEqual},
    {CONVOY_OP_SUM, "sum", Work::kElements, kMany, kMany, Types::kNumber, Sizes::kEqual},
    {CONVOY_OP_SCALE, "scale", Work::kElements, kOne, kOne, Types::kNumber, Sizes::kEqual,
     kUsesScalar},
    {CONVOY_OP_AXPY, "axpy", Work::kElements, kTwo, kOne, Types::kNumber, Sizes::kEqual,
     kUsesScalar},
    {CONVOY_OP_CAST, "cast", Work::kElements, kOne, kOne, Types::kConverted, Sizes::kEqual},
    {CONVOY_OP_MATMUL, "matmul", Work::kWhole, kTwo, kOne, Types::kF32, Sizes::kMatrices,
     kUsesSizes},
    {CONVOY_OP_ALL_REDUCE, "all_reduce", Work::kCollective, kMany, kMany, Types::kNumber,
     Sizes::kEqual},
    {CONVOY_OP_REDUCE_SCATTER, "reduce_scatter", Work::kCollective, kMany, kMany, Types::kNumber,
     Sizes::kOwn},
    {CONVOY_OP_ALL_GATHER, "all_gather", Work::kCollective, kMany, kMany, Types::kAny, Sizes::kOwn},
    {CONVOY_OP_BROADCAST, "broadcast", Work::kCollective, kOne, kMany, Types::kAny, Sizes::kEqual},
    {CONVOY_OP_REDUCE, "reduce", Work::kCollective, kMany, kOne, Types::kNumber, Sizes::kEqual},
    // A strategy writes it with one read and one write; lowering may fuse it with sums and
    // broadcasts.
    {CONVOY_OP_APPLY, "apply", Work::kElements, kMany, kMany, Types::kNumber, Sizes::kEqual},
    {CONVOY_OP_CALL, "call", Work::kWhole, kMany, kMany, Types::kOwn, Sizes::kOwn,
     kUsesScalar | kUsesSizes},
    {CONVOY_OP_FORWARD, "forward", Work::kCompute, kOne, kNone, Types::kOwn, Sizes::kOwn},
    {CONVOY_OP_BACKWARD, "backward", Work::kCompute, kOne, kOne, Types::kOwn, Sizes::kOwn},
    {CONVOY_OP_NORM, "norm", Work::kWhole, kMany, kOne, Types::kF32, Sizes::kOwn, 0, true},
    {CONVOY_OP_ADAPT_LOSS_SCALE, "adapt_loss_scale", Work::kWhole, kOne, kOne, Types::kF32,
     Sizes::kOwn, kUsesSizes, true},
    {CONVOY_OP_MULTIPLY, "multiply", Work::kElements, kTwo, kOne, Types::kF32, Sizes::kFactor},
    {CONVOY_OP_DOT, "dot", Work::kWhole, kTwo, kOne, Types::kF32, Sizes::kSums},
    {CONVOY_OP_DIVIDE, "divide", Work::kElements, kTwo, kOne, Types::kF32, Sizes::kFactor,
     kUsesScalar},
    {CONVOY_OP_SQUARE_ROOT, "square_root", Work::kElements, kOne, kOne, Types::kF32, Sizes::kEqual},
    {CONVOY_OP_ORTHOGONALISE, "orthogonalise", Work::kWhole, kOne, kOne, Types::kF32,
     Sizes::kTallMatrix, kUsesSizes},
    {CONVOY_OP_TOP_K, "top_k", Work::kMessages, kOne, kTwoOrThree, Types::kMessages, Sizes::kOwn},
    {CONVOY_OP_SCATTER, "scatter", Work::kMessages, kTwoOrThree, kOne, Types::kMessages,
     Sizes::kOwn, kUsesSizes},
    {CONVOY_OP_QUANTISE, "quantise", Work::kMessages, kOne, kTwoOrThree, Types::kMessages,
     Sizes::kOwn, kUsesSizes},
    {CONVOY_OP_DEQUANTISE, "dequantise", Work::kMessages, kTwoOrThree, kOne, Types::kMessages,
     Sizes::kOwn, kUsesSizes},
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
