#pragma once

#include "plugins/devices/cuda/kernels/types.hpp"

namespace convoy::cuda {

// Windows over NHWC images: pools and depthwise convolutions. One thread computes each result, so
// that sums have a fixed order.
struct Windows {
  std::uint32_t images, channels;
  std::uint32_t in_height, in_width, out_height, out_width;
  std::uint32_t kernel_height, kernel_width, stride_height, stride_width;
  std::uint32_t pad_top, pad_left;

  std::uint64_t inputs() const {
    return static_cast<std::uint64_t>(images) * in_height * in_width * channels;
  }
  std::uint64_t outputs() const {
    return static_cast<std::uint64_t>(images) * out_height * out_width * channels;
  }
};

// record: the index of each maximum in its window, a byte per result; null = not wanted.
void max_pool(Stream stream, Type type, const Windows& shape, void* write, const void* read,
              std::uint8_t* record);
inline constexpr std::uint32_t kMostRecordedCells = 256;
void max_pool_backward(Stream stream, Type type, const Windows& shape, void* write,
                       const void* gradient, const std::uint8_t* record, bool adds);
// Divides by the number of cells that are not padding.
void average_pool(Stream stream, Type type, const Windows& shape, void* write, const void* read);
void average_pool_backward(Stream stream, Type type, const Windows& shape, void* write,
                           const void* gradient, bool adds);

// weights: [channel, row, column] in f32.
void depthwise(Stream stream, Type type, const Windows& shape, void* write, const void* read,
               const float* weights);
void depthwise_data(Stream stream, Type type, const Windows& shape, void* write,
                    const void* gradient, const float* weights, bool adds);
void depthwise_weights(Stream stream, Type type, const Windows& shape, float* write,
                       const void* read, const void* gradient, void* scratch);
std::uint64_t depthwise_scratch(const Windows& shape);  // bytes

}  // namespace convoy::cuda
