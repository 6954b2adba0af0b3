#include "plugins/devices/cpu/pools/pool_algorithm.hpp"

#include <algorithm>

namespace convoy::cpu {
namespace {

// The number of a window's cells that are on the image, along one dimension.
std::size_t cells_on_image(std::size_t window, std::size_t stride, std::size_t pad,
                           std::size_t kernel, std::size_t cells) {
  const std::size_t first = std::max(window * stride, pad);
  const std::size_t end = std::min(window * stride + kernel, cells + pad);
  return end > first ? end - first : 0;
}

}  // namespace

std::vector<float> window_shares(const PlaneWindows& shape) {
  std::vector<float> shares;
  for (std::size_t y = 0; y < shape.out_height; ++y) {
    const std::size_t rows =
        cells_on_image(y, shape.stride_height, shape.pad_top, shape.kernel_height, shape.in_height);
    for (std::size_t x = 0; x < shape.out_width; ++x) {
      const std::size_t columns =
          cells_on_image(x, shape.stride_width, shape.pad_left, shape.kernel_width, shape.in_width);
      shares.push_back(1.0f / static_cast<float>(std::max<std::size_t>(rows * columns, 1)));
    }
  }
  return shares;
}

}  // namespace convoy::cpu
