#pragma once

#include <convoy/abi.h>

#include <cstdint>
#include <stdexcept>

namespace convoy {

// Number of reads and writes that an operation on regions has on every kind of device, 0 = any.
struct Arity {
  std::uint64_t reads;
  std::uint64_t writes;
};

inline Arity arity_of(std::uint32_t kind) {
  switch (kind) {
    case CONVOY_OP_FILL:
    case CONVOY_OP_NORM:
      return {0, 1};
    case CONVOY_OP_ADD:
    case CONVOY_OP_AXPY:
    case CONVOY_OP_MATMUL:
    case CONVOY_OP_MULTIPLY:
    case CONVOY_OP_DIVIDE:
    case CONVOY_OP_DOT:
      return {2, 1};
    case CONVOY_OP_SUM:
    case CONVOY_OP_CALL:
    case CONVOY_OP_APPLY:
    case CONVOY_OP_ALL_REDUCE:
    case CONVOY_OP_REDUCE_SCATTER:
    case CONVOY_OP_ALL_GATHER:
      return {0, 0};
    case CONVOY_OP_BROADCAST:
      return {1, 0};
    case CONVOY_OP_REDUCE:
    case CONVOY_OP_SCATTER:
    case CONVOY_OP_DEQUANTISE:
      return {0, 1};
    case CONVOY_OP_TOP_K:
    case CONVOY_OP_QUANTISE:
      return {1, 0};
    default:
      return {1, 1};
  }
}

// Throws std::invalid_argument when an operation came with more or fewer regions than it has.
inline void require_regions(const convoy_submission& operation) {
  const Arity arity = arity_of(operation.kind);
  if ((arity.reads != 0 && operation.read_count != arity.reads) ||
      (arity.writes != 0 && operation.write_count != arity.writes))
    throw std::invalid_argument("an operation came with the wrong number of regions");
}

}  // namespace convoy
