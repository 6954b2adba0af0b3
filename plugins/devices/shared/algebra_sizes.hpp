#pragma once

#include <convoy/abi.h>

#include <algorithm>
#include <cstdint>

// Which regions go with products, quotients and matrices, on every kind of device.
namespace convoy {

// Whether the regions of all other operations are alike in their counts.
inline bool is_algebra(std::uint32_t kind) {
  return kind == CONVOY_OP_MATMUL || kind == CONVOY_OP_MULTIPLY || kind == CONVOY_OP_DOT ||
         kind == CONVOY_OP_DIVIDE || kind == CONVOY_OP_ORTHOGONALISE;
}

// Of an operation with as many regions as its kind has; sizes may be missing.
inline bool algebra_fits(const convoy_submission& operation) {
  const std::uint64_t read = operation.reads[0].count;
  const std::uint64_t write = operation.writes[0].count;
  const std::uint64_t* sizes = operation.sizes;
  if (operation.kind == CONVOY_OP_ORTHOGONALISE)
    return sizes != nullptr && read == write && write == sizes[0] * sizes[1] &&
           sizes[0] >= sizes[1];
  const std::uint64_t second = operation.reads[1].count;
  if (operation.kind == CONVOY_OP_DOT) return write == 1 && read == second;
  if (operation.kind != CONVOY_OP_MATMUL) return read == write && (second == write || second == 1);
  if (sizes == nullptr) return false;
  const std::uint64_t batch = std::max<std::uint64_t>(sizes[3], 1);
  return read == batch * sizes[0] * sizes[2] && second == batch * sizes[2] * sizes[1] &&
         write == batch * sizes[0] * sizes[1];
}

}  // namespace convoy
