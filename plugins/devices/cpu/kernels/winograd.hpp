#pragma once

#include <cstddef>

namespace convoy::cpu {

// Winograd's F(4x4, 3x3) and F(2x2, 5x5): 4x4 (2x2) results from 6x6 values of the source with 36
// multiplications instead of 144 (100). Every 6x6 value is a "point". Sums over channels (or tiles)
// are matrix products per point.
inline constexpr std::size_t kWinogradPoints = 36;
inline constexpr std::size_t kWinogradPatch = 6;   // source values per side
inline constexpr std::size_t kWinogradLanes = 8;   // channels of a group
inline constexpr std::size_t kWinogradPanel = 16;  // channels that a transform handles at once

// Eight or sixteen channels of one image. The channels of a pixel are consecutive. Sixteen channels
// are two groups of eight, in one block or in two.
struct WinogradPlane {
  void* groups[2];  // floats or bf16; the second is null when there are eight channels only
  std::size_t pixel_stride;  // numbers
  std::size_t height, width;
  bool bf16;
};

// Tiles of one row of tiles. The first tile's first pixel may be outside the plane.
struct WinogradTiles {
  std::ptrdiff_t y, x;
  std::size_t count;
};

// Applied to results: bias of sixteen channels, then bounds.
struct WinogradEpilogue {
  float bias[kWinogradPanel];
  float lower, upper;
};

// c[rows][columns] = (accumulate ? c : 0) + sum over depth of a times b[depth][columns], summed in
// the order of depth.
struct WinogradProduct {
  const float* a;
  std::size_t a_stride;  // floats between the rows of a, or of its transpose
  const float* b;
  float* c;
  std::size_t columns;  // columns of b and c: one panel, or the kernels' `columns`
  std::size_t rows, depth;
  bool accumulate;
};

// One instance per instruction set and filter. Points are point_stride floats apart, tiles
// tile_stride. The sixteen channels of a plane are consecutive. Pixels outside the plane are zeros.
struct WinogradKernels {
  std::size_t tile;          // results per side
  std::size_t taps;          // of the filter, per side
  std::size_t columns;       // most efficient width of a matrix product: one or two panels
  std::size_t cache_floats;  // the part of a thread's own cache that its operands may fill

  // Transforms 6x6 source values per tile. Tiles are one tile apart.
  void (*transform_source)(const WinogradPlane& plane, const WinogradTiles& tiles, float* points,
                           std::size_t point_stride, std::size_t tile_stride);
  // Adjoint of transform_result, for a tile's gradients. Writes zeros for a missing second group.
  void (*transform_gradient)(const WinogradPlane& plane, const WinogradTiles& tiles, float* points,
                             std::size_t point_stride, std::size_t tile_stride);
  void (*transform_result)(const float* points, std::size_t point_stride, std::size_t tile_stride,
                           const WinogradEpilogue& epilogue, const WinogradPlane& plane,
                           const WinogradTiles& tiles);
  // Transforms a square block of `block` (8 or 16) weights per side, [tap][row][column], to points
  // whose rows are row_stride apart.
  void (*transform_weights)(const float* taps, std::size_t block, float* points,
                            std::size_t point_stride, std::size_t row_stride);
  // The same with the block transposed and its taps mirrored.
  void (*transform_mirrored)(const float* taps, std::size_t block, float* points,
                             std::size_t point_stride, std::size_t row_stride);
  // Adjoint of transform_weights; adds to the taps if `accumulate`.
  void (*transform_weights_gradient)(const float* points, std::size_t point_stride,
                                     std::size_t row_stride, std::size_t block, bool accumulate,
                                     float* taps);
  // The elements of a row of a are consecutive.
  void (*multiply)(const WinogradProduct& product);
  // The same with a transposed: the elements of a column are consecutive.
  void (*multiply_transposed)(const WinogradProduct& product);
};

// Returns the best table for this processor and filters of `taps` taps per side: 3 or 5.
const WinogradKernels& winograd_kernels(std::size_t taps);

}  // namespace convoy::cpu
