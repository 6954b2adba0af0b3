#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plugins/devices/cpu/kernels/plane_windows.hpp"

namespace convoy::cpu {

// Pools over windows of activations of one type and layout, on the team of the calling thread. The
// team's size does not change the bits. Gradients overwrite, or are added to the present values.
class PoolAlgorithm {
 public:
  // One byte counts the cells of a window.
  static constexpr std::size_t kMostCells = 256;

  virtual ~PoolAlgorithm() = default;

  // The size of the record of the positions of maxima: one byte per element of the result.
  virtual std::size_t record_bytes() const = 0;
  // record may be null.
  virtual void max_forward(const void* read, void* write, std::uint8_t* record) const = 0;
  virtual void max_backward(const void* gradient, const std::uint8_t* record, void* write,
                            bool add) const = 0;
  // Means of the cells that are on the image.
  virtual void average_forward(const void* read, void* write) const = 0;
  virtual void average_backward(const void* gradient, void* write, bool add) const = 0;
};

// Per window: 1 / number of its cells on the image.
std::vector<float> window_shares(const PlaneWindows& shape);

}  // namespace convoy::cpu
