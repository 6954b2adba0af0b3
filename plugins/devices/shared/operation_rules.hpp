#pragma once

#include <convoy/abi.h>
#include <convoy/operation_traits.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "plugins/devices/shared/message_shape.hpp"
#include "plugins/devices/shared/update_rule.hpp"

// The rules for the regions of an operation on every kind of device: number, types and sizes.
namespace convoy {

// Throws std::invalid_argument when an operation with a known number of regions has another number.
inline void require_regions(const convoy_submission& operation) {
  const OperationTraits* const traits = find_operation_traits(operation.kind);
  const auto differs = [](std::uint64_t count, SpanCounts wanted) {
    return wanted.least == wanted.most && count != wanted.most;
  };
  if (traits != nullptr && (differs(operation.read_count, traits->reads) ||
                            differs(operation.write_count, traits->writes)))
    throw std::invalid_argument("an operation came with the wrong number of regions");
}

inline std::size_t element_bytes(std::uint32_t dtype) {
  if (dtype == CONVOY_U8) return 1;
  return dtype == CONVOY_F16 || dtype == CONVOY_BF16 ? 2 : 4;
}

inline bool is_floating_dtype(std::uint32_t dtype) {
  return dtype == CONVOY_F32 || dtype == CONVOY_F16 || dtype == CONVOY_BF16;
}

// Returns why one device does not compute an operation with these types of its first read and first
// write (CONVOY_F32 if there is none); null when it does. Collectives and calls differ by device.
inline const char* dtype_refusal(std::uint32_t kind, std::uint32_t read, std::uint32_t write) {
  const OperationTraits* const traits = find_operation_traits(kind);
  if (traits == nullptr || traits->work == OperationWork::kCollective || kind == CONVOY_OP_CALL)
    return "unknown operation: this device takes lowered operations of SDK 1.0";
  const auto unless = [](bool computed, const char* reason) { return computed ? nullptr : reason; };
  switch (traits->types) {
    case OperationTypes::kAny:
      return unless(traits->reads.most == 0 || read == write,
                    "copy needs equal dtypes; cast converts");
    case OperationTypes::kConverted:
      return unless(is_floating_dtype(read) && is_floating_dtype(write),
                    "cast converts among f32, f16 and bf16 only");
    case OperationTypes::kNumber:
    case OperationTypes::kF32:
      return unless(read == CONVOY_F32 && write == CONVOY_F32,
                    "this operation is computed in f32 only");
    case OperationTypes::kMessages:
      return unless(is_compressed_dtype(kind, read, write),
                    "f32 only is compressed, into codes of u8");
    default:
      return nullptr;
  }
}

// Throws std::invalid_argument with a device's refusal of an operation's types. Without a read, the
// type of the write counts for both.
template <typename Operation>
void require_types(const Operation& operation,
                   const char* (*refusal)(std::uint32_t kind, std::uint32_t read,
                                          std::uint32_t write)) {
  const std::uint32_t write =
      operation.write_count == 0 ? std::uint32_t{CONVOY_F32} : operation.writes[0].dtype;
  const std::uint32_t read = operation.read_count == 0 ? write : operation.reads[0].dtype;
  if (const char* reason = refusal(operation.kind, read, write))
    throw std::invalid_argument(reason);
}

namespace rules_detail {

inline bool all_equal(const convoy_submission& operation) {
  const std::uint64_t count = operation.writes[0].count;
  const auto equal = [count](const convoy_region& region) { return region.count == count; };
  return std::all_of(operation.reads, operation.reads + element_reads(operation), equal) &&
         std::all_of(operation.writes, operation.writes + operation.write_count, equal);
}

inline bool matrices_fit(const convoy_submission& operation) {
  const std::uint64_t* sizes = operation.sizes;
  if (sizes == nullptr) return false;
  const std::uint64_t batch = std::max<std::uint64_t>(sizes[3], 1);
  return operation.reads[0].count == batch * sizes[0] * sizes[2] &&
         operation.reads[1].count == batch * sizes[2] * sizes[1] &&
         operation.writes[0].count == batch * sizes[0] * sizes[1];
}

// Checks the kinds with size rules of their own.
inline bool own_sizes_fit(const convoy_submission& operation) {
  if (is_compression(operation.kind)) return messages_fit(operation);
  const std::uint64_t reads = element_reads(operation);
  if (operation.kind == CONVOY_OP_ADAPT_LOSS_SCALE)
    return operation.writes[0].count == 2 && operation.sizes != nullptr;
  if (operation.kind == CONVOY_OP_NORM)
    return reads == 1 || (reads > 1 && operation.reads[1].count == operation.reads[0].count);
  return reads > 0 && all_equal(operation);
}

}  // namespace rules_detail

// Whether the sizes of the regions are consistent, for an operation of one device with the number
// of regions of its kind and at least one write.
inline bool regions_fit(const convoy_submission& operation) {
  const OperationTraits* const traits = find_operation_traits(operation.kind);
  const std::uint64_t* sizes = operation.sizes;
  const std::uint64_t count = operation.writes[0].count;
  const auto read = [&](std::uint64_t index) { return operation.reads[index].count; };
  switch (traits == nullptr ? OperationSizes::kOwn : traits->sizes) {
    case OperationSizes::kEqual:
      return (element_reads(operation) > 0 || traits->reads.most == 0) &&
             rules_detail::all_equal(operation);
    case OperationSizes::kFactor:
      return read(0) == count && (read(1) == count || read(1) == 1);
    case OperationSizes::kSums:
      return count == 1 && read(0) == read(1);
    case OperationSizes::kMatrices:
      return rules_detail::matrices_fit(operation);
    case OperationSizes::kTallMatrix:
      return sizes != nullptr && rules_detail::all_equal(operation) &&
             count == sizes[0] * sizes[1] && sizes[0] >= sizes[1];
    default:
      return rules_detail::own_sizes_fit(operation);
  }
}

}  // namespace convoy
