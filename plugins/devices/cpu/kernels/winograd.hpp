#pragma once

#include <cstddef>

namespace convoy::cpu {

// Winograd's F(4x4, 3x3): 4x4 results from 6x6 values of the source with 36 multiplications instead
// of 144. Every 6x6 value is a "point"; sums over channels (or tiles) are matrix products per
// point.
inline constexpr std::size_t kWinogradPoints = 36;
inline constexpr std::size_t kWinogradTile = 4;    // results per side
inline constexpr std::size_t kWinogradPatch = 6;   // source values per side
inline constexpr std::size_t kWinogradLanes = 8;   // channels that a transform handles at once
inline constexpr std::size_t kWinogradPanel = 16;  // columns of a matrix product
inline constexpr std::size_t kWinogradTaps = 9;

// Eight or sixteen channels of one image: a pixel's channels are consecutive. Sixteen are two
// groups of eight, in one block or in two.
struct WinogradPlane {
  float* groups[2];          // the second is null when there are eight channels only
  std::size_t pixel_stride;  // floats
  std::size_t height, width;
};

// Tiles of one row of tiles; coordinates of the first tile's first pixel may lie outside the plane.
struct WinogradTiles {
  std::ptrdiff_t y, x;
  std::size_t count;
};

// What is done with results: bias of sixteen channels, then bounds.
struct WinogradEpilogue {
  float bias[kWinogradPanel];
  float lower, upper;
};

// One instance per instruction set. Points lie point_stride floats apart, tiles tile_stride; the
// sixteen channels of a plane are consecutive. Pixels outside the plane are zeros.
struct WinogradKernels {
  // 6x6 source values per tile, every fourth pixel.
  void (*transform_source)(const WinogradPlane& plane, const WinogradTiles& tiles, float* points,
                           std::size_t point_stride, std::size_t tile_stride);
  // Adjoint of transform_result: 4x4 gradients per tile. Writes zeros for a missing second group.
  void (*transform_gradient)(const WinogradPlane& plane, const WinogradTiles& tiles, float* points,
                             std::size_t point_stride, std::size_t tile_stride);
  void (*transform_result)(const float* points, std::size_t point_stride, std::size_t tile_stride,
                           const WinogradEpilogue& epilogue, const WinogradPlane& plane,
                           const WinogradTiles& tiles);
  // Eight columns of `count` rows of the transformed weights; rows are a panel apart.
  void (*transform_weights)(const float* taps, std::size_t tap_stride, std::size_t row_stride,
                            std::size_t count, float* points, std::size_t point_stride);
  // 8x8 weights per tap, rows row_stride apart -> [row][tap][8], transposed and mirrored.
  void (*mirror_weights)(const float* taps, std::size_t tap_stride, std::size_t row_stride,
                         float* mirrored);
  // Adjoint of transform_weights; adds to the taps when told so.
  void (*transform_weights_gradient)(const float* points, std::size_t point_stride,
                                     std::size_t count, bool accumulate, float* taps,
                                     std::size_t tap_stride, std::size_t row_stride);
  // c[rows][16] = (accumulate ? c : 0) + sum over depth of a(row, depth) * b[depth][16], summed in
  // the order of depth; the elements of a row of a are consecutive.
  void (*multiply)(const float* a, std::size_t row_stride, const float* b, float* c,
                   std::size_t rows, std::size_t depth, bool accumulate);
  // The same with a(depth, row): the elements of a column are depth_stride apart, rows consecutive.
  void (*multiply_transposed)(const float* a, std::size_t depth_stride, const float* b, float* c,
                              std::size_t rows, std::size_t depth, bool accumulate);
};

// The best table for this processor.
const WinogradKernels& winograd_kernels();

}  // namespace convoy::cpu
