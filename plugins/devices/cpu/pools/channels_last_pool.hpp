#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plugins/devices/cpu/kernels/channels_last_pool.hpp"
#include "plugins/devices/cpu/pools/pool_algorithm.hpp"

namespace convoy::cpu {

// Pools over bf16 activations with channels last; every band of rows belongs to one thread.
class ChannelsLastPool : public PoolAlgorithm {
 public:
  ChannelsLastPool(const PlaneWindows& shape, std::size_t images, std::size_t channels);

  std::size_t record_bytes() const override { return images_ * out_image(); }
  void max_forward(const void* read, void* write, std::uint8_t* record) const override;
  void max_backward(const void* gradient, const std::uint8_t* record, void* write,
                    bool add) const override;
  void average_forward(const void* read, void* write) const override;
  void average_backward(const void* gradient, void* write, bool add) const override;

 private:
  // Elements of one image.
  std::size_t in_image() const { return shape_.in_height * shape_.in_width * channels_; }
  std::size_t out_image() const { return shape_.out_height * shape_.out_width * channels_; }
  // Calls body(image, rows) for bands of all images' rows.
  template <typename Body>
  void each_band(std::size_t height, const Body& body) const;

  PoolSpans spans() const {
    return {rows_of_windows_.data(), columns_of_windows_.data(), windows_of_rows_.data(),
            windows_of_columns_.data()};
  }

  PlaneWindows shape_;
  std::vector<Span> rows_of_windows_, columns_of_windows_, windows_of_rows_, windows_of_columns_;
  std::size_t images_, channels_;
  const ChannelsLastPoolKernels* kernels_;
  std::vector<float> shares_;
};

}  // namespace convoy::cpu
