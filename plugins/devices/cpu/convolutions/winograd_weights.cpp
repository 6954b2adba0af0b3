#include "plugins/devices/cpu/convolutions/winograd_weights.hpp"

#include <algorithm>

namespace convoy::cpu {

const float* WinogradWeights::taps(const float* weights, std::size_t column,
                                   std::size_t row) const {
  const std::size_t block = shape_.block;
  const std::size_t index = mirrored_ ? row / block * (shape_.out_channels / block) + column / block
                                      : column / block * (shape_.in_channels / block) + row / block;
  return weights + index * shape_.taps * shape_.taps * block * block;
}

void WinogradWeights::transform(const float* weights, std::size_t first_column, std::size_t columns,
                                std::size_t first_row, std::size_t rows, float* points,
                                std::size_t point_stride) const {
  const auto write = mirrored_ ? kernels_.transform_mirrored : kernels_.transform_weights;
  const std::size_t block = shape_.block;
  for (std::size_t column = 0; column < columns; column += block) {
    if (first_column + column >= shape_.out_channels) {
      for (std::size_t i = 0; i < kWinogradPoints * rows; ++i) {
        std::fill_n(points + i / rows * point_stride + i % rows * columns + column, block, 0.0f);
      }
      continue;
    }
    for (std::size_t row = 0; row < rows; row += block) {
      write(taps(weights, first_column + column, first_row + row), block,
            points + row * columns + column, point_stride, columns);
    }
  }
}

}  // namespace convoy::cpu
