#pragma once

#include <cstddef>

namespace convoy::cpu {

// The pixels of a result that one tap of a filter combines with pixels of its source, as a box of
// images, rows and columns. Distances are in floats. A pixel of the result is one block of
// channels.
struct TapBox {
  std::size_t images, rows, columns;
  std::size_t source_image, source_row, source_pixel;
  std::size_t result_image, result_row;
};

// The gradient of one tap's weights between some rows (input channels) and up to kMaxColumns blocks
// of output channels: weights[column][row][block] += source[pixel][row] * result[column][pixel].
struct TapGradient {
  const float* source;
  const float* result;        // of the first block
  std::size_t result_block;   // distance to the next block
  float* weights;             // of the first block
  std::size_t weights_block;  // distance to the next block
  std::size_t columns;        // blocks of output channels, at most kMaxColumns of the kernel
  bool fresh;                 // true: overwrites the weights; false: adds to them
};

// Kernels for one size of channel blocks. Sums over pixels are in order of images, rows and
// columns, so the bits depend only on the instruction set.
struct TapKernels {
  static constexpr std::size_t kMaxColumns = 3;

  // The rows are one block of input channels.
  void (*accumulate)(const TapBox& box, const TapGradient& gradient);
  // total[block] += (or =) sum over the pixels of result.
  void (*sum)(const TapBox& box, const float* result, float* total, bool fresh);
};

// Returns the best kernels of this processor for blocks of 8 or 16 channels.
const TapKernels& tap_kernels(std::size_t block);

}  // namespace convoy::cpu
