#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plugins/devices/cpu/kernels/pool.hpp"
#include "plugins/devices/cpu/pools/pool_algorithm.hpp"

namespace convoy::cpu {

// Pools over f32 activations in blocks of channels (nChw8c, nChw16c); every plane, a block of
// channels of one image, belongs to one thread.
class BlockedPool : public PoolAlgorithm {
 public:
  // planes: images times blocks of channels.
  BlockedPool(const PlaneWindows& shape, std::size_t planes, std::size_t block);

  std::size_t record_bytes() const override { return planes_ * out_plane(); }
  void max_forward(const void* read, void* write, std::uint8_t* record) const override;
  void max_backward(const void* gradient, const std::uint8_t* record, void* write,
                    bool add) const override;
  void average_forward(const void* read, void* write) const override;
  void average_backward(const void* gradient, void* write, bool add) const override;

 private:
  std::size_t in_plane() const { return shape_.in_height * shape_.in_width * block_; }
  std::size_t out_plane() const { return shape_.out_height * shape_.out_width * block_; }

  PlaneWindows shape_;
  std::size_t planes_, block_;
  const PoolKernels* kernels_;
  std::vector<float> shares_;
};

}  // namespace convoy::cpu
