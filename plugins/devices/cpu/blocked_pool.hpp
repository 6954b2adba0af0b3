#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plugins/devices/cpu/kernels/pool.hpp"
#include "plugins/devices/cpu/planes.hpp"

namespace convoy::cpu {

// Pools over planes, on the team of the calling thread; every plane belongs to one thread, so the
// team's size changes no bit.
class BlockedPool {
 public:
  // A window's cells are counted in a byte.
  static constexpr std::size_t kMostCells = 256;

  // planes: images times blocks of channels.
  BlockedPool(const PlaneWindows& shape, std::size_t planes, std::size_t block);

  // record: one byte per element of the result, plane by plane; may be null.
  void max_forward(const Planes& read, const Planes& write, std::uint8_t* record) const;
  void max_backward(const Planes& gradient, const std::uint8_t* record, const Planes& write,
                    bool add) const;
  // Means of the cells that lie on the image.
  void average_forward(const Planes& read, const Planes& write) const;
  void average_backward(const Planes& gradient, const Planes& write, bool add) const;

 private:
  std::size_t out_plane() const { return shape_.out_height * shape_.out_width * block_; }

  PlaneWindows shape_;
  std::size_t planes_, block_;
  const PoolKernels* kernels_;
  std::vector<float> shares_;  // per window: one over the number of its cells
};

}  // namespace convoy::cpu
