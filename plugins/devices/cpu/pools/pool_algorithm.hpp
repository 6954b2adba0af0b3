#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plugins/devices/cpu/kernels/plane_windows.hpp"

namespace convoy::cpu {

// Pools over windows of activations of one type and layout, on the team of the calling thread; the
// team's size changes no bit. Gradients overwrite, or are added to what is there.
class PoolAlgorithm {
 public:
  // A window's cells are counted in a byte.
  static constexpr std::size_t kMostCells = 256;

  virtual ~PoolAlgorithm() = default;

  // Of the record of where maxima came from: one per element of the result.
  virtual std::size_t record_bytes() const = 0;
  // record may be null.
  virtual void max_forward(const void* read, void* write, std::uint8_t* record) const = 0;
  virtual void max_backward(const void* gradient, const std::uint8_t* record, void* write,
                            bool add) const = 0;
  // Means of the cells that lie on the image.
  virtual void average_forward(const void* read, void* write) const = 0;
  virtual void average_backward(const void* gradient, void* write, bool add) const = 0;
};

// Per window: one over the number of its cells on the image.
std::vector<float> window_shares(const PlaneWindows& shape);

}  // namespace convoy::cpu
