#pragma once

#include <cstddef>

#include "plugins/devices/cpu/convolutions/winograd_tiles.hpp"

namespace convoy::cpu {

// The weights of a forward convolution, or of the convolution that computes its data gradient: the
// same weights transposed, with mirrored taps. They are stored as [out block][in
// block][tap][in][out] of the forward convolution.
class WinogradWeights {
 public:
  // The shape is that of the convolution to compute.
  WinogradWeights(const WinogradShape& shape, bool mirrored)
      : shape_(shape), mirrored_(mirrored), kernels_(winograd_kernels(shape.taps)) {}

  // Transforms rows (input channels) of `columns` columns (result channels) to points
  // [point][row][columns]. Columns beyond the result's channels become zeros. Everything except
  // columns comes in whole blocks.
  void transform(const float* weights, std::size_t first_column, std::size_t columns,
                 std::size_t first_row, std::size_t rows, float* points,
                 std::size_t point_stride) const;

 private:
  const float* taps(const float* weights, std::size_t column, std::size_t row) const;

  WinogradShape shape_;
  bool mirrored_;
  const WinogradKernels& kernels_;
};

}  // namespace convoy::cpu
