#pragma once

#include <convoy/abi.h>
#include <convoy/operation_traits.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "plugins/devices/shared/algebra_sizes.hpp"
#include "plugins/devices/shared/message_shape.hpp"
#include "plugins/devices/shared/update_rule.hpp"

// What the regions of an operation are on every kind of device: how many, of which types and sizes.
namespace convoy {

// Throws std::invalid_argument when an operation whose number of regions is known came with another
// one.
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

// Why an operation of one device is not computed with these types of its first read and first
// write, CONVOY_F32 where there is none; null when it is. Collectives and calls differ by device.
inline const char* dtype_refusal(std::uint32_t kind, std::uint32_t read, std::uint32_t write) {
  switch (kind) {
    case CONVOY_OP_COPY:
      return read == write ? nullptr : "copy needs equal dtypes; cast converts";
    case CONVOY_OP_FILL:
    case CONVOY_OP_FORWARD:
    case CONVOY_OP_BACKWARD:
      return nullptr;
    case CONVOY_OP_CAST:
      return is_floating_dtype(read) && is_floating_dtype(write)
                 ? nullptr
                 : "cast converts among f32, f16 and bf16 only";
    case CONVOY_OP_ADD:
    case CONVOY_OP_SUM:
    case CONVOY_OP_SCALE:
    case CONVOY_OP_AXPY:
    case CONVOY_OP_MATMUL:
    case CONVOY_OP_APPLY:
    case CONVOY_OP_NORM:
    case CONVOY_OP_ADAPT_LOSS_SCALE:
    case CONVOY_OP_MULTIPLY:
    case CONVOY_OP_DOT:
    case CONVOY_OP_DIVIDE:
    case CONVOY_OP_SQUARE_ROOT:
    case CONVOY_OP_ORTHOGONALISE:
      return read == CONVOY_F32 && write == CONVOY_F32 ? nullptr
                                                       : "this operation is computed in f32 only";
    case CONVOY_OP_TOP_K:
    case CONVOY_OP_SCATTER:
    case CONVOY_OP_QUANTISE:
    case CONVOY_OP_DEQUANTISE:
      return is_compressed_dtype(kind, read, write) ? nullptr
                                                    : "f32 only is compressed, into codes of u8";
    default:
      return "unknown operation: this device takes lowered operations of SDK 1.0";
  }
}

// Whether the sizes of the regions go together, of an operation of one device with a write.
inline bool regions_fit(const convoy_submission& operation) {
  if (is_algebra(operation.kind)) return algebra_fits(operation);
  if (is_compression(operation.kind)) return messages_fit(operation);
  if (operation.kind == CONVOY_OP_ADAPT_LOSS_SCALE)
    return operation.writes[0].count == 2 && operation.sizes != nullptr;
  const std::uint64_t reads = element_reads(operation);
  if (reads == 0 && operation.kind != CONVOY_OP_FILL) return false;
  if (operation.kind == CONVOY_OP_NORM)
    return reads == 1 || operation.reads[1].count == operation.reads[0].count;
  const std::uint64_t count = operation.writes[0].count;
  for (std::uint64_t i = 0; i < reads; ++i)
    if (operation.reads[i].count != count) return false;
  for (std::uint64_t i = 0; i < operation.write_count; ++i)
    if (operation.writes[i].count != count) return false;
  return true;
}

}  // namespace convoy
