// The transforms of Winograd convolutions over planes of pixels and blocks of weights, compiled
// once per instruction set: eight channels at a time. Uses no library templates: their out-of-line
// copies would be shared between the instruction sets by the linker.
#include "plugins/devices/cpu/kernels/winograd_lines.hpp"

namespace convoy::cpu::CONVOY_KERNEL_SET {

void winograd_multiply(const float* a, std::size_t row_stride, const float* b, float* c,
                       std::size_t rows, std::size_t depth, bool accumulate);
void winograd_multiply_transposed(const float* a, std::size_t depth_stride, const float* b,
                                  float* c, std::size_t rows, std::size_t depth, bool accumulate);

namespace {

// The part of a square of pixels that lies on the plane, zeros elsewhere.
template <std::size_t size>
inline void copy_inside(const WinogradPlane& plane, const float* group, std::ptrdiff_t y,
                        std::ptrdiff_t x, float* square) {
  for (std::size_t i = 0; i < size * size; ++i) {
    const std::ptrdiff_t row = y + static_cast<std::ptrdiff_t>(i / size);
    const std::ptrdiff_t column = x + static_cast<std::ptrdiff_t>(i % size);
    const bool inside = row >= 0 && column >= 0 &&
                        row < static_cast<std::ptrdiff_t>(plane.height) &&
                        column < static_cast<std::ptrdiff_t>(plane.width);
    const float* pixel = group + (row * static_cast<std::ptrdiff_t>(plane.width) + column) *
                                     static_cast<std::ptrdiff_t>(plane.pixel_stride);
    store(square + i * kWinogradLanes, inside ? load(pixel) : Vector{});
  }
}

inline bool lies_inside(const WinogradPlane& plane, std::ptrdiff_t y, std::ptrdiff_t x,
                        std::size_t size) {
  const auto side = static_cast<std::ptrdiff_t>(size);
  return y >= 0 && x >= 0 && y + side <= static_cast<std::ptrdiff_t>(plane.height) &&
         x + side <= static_cast<std::ptrdiff_t>(plane.width);
}

// One tile's square of pixels to points.
template <std::size_t size, void line(const Vector (&)[size], Vector (&)[kPatch])>
inline void to_points(const WinogradPlane& plane, const float* group, std::ptrdiff_t y,
                      std::ptrdiff_t x, float* points, std::size_t point_stride) {
  alignas(64) float square[size * size * kWinogradLanes];
  const float* pixels = square;
  std::size_t pixel_stride = kWinogradLanes;
  std::size_t row_stride = size * kWinogradLanes;
  if (lies_inside(plane, y, x, size)) {
    pixel_stride = plane.pixel_stride;
    row_stride = plane.width * pixel_stride;
    pixels = group + static_cast<std::size_t>(y) * row_stride +
             static_cast<std::size_t>(x) * pixel_stride;
  } else {
    copy_inside<size>(plane, group, y, x, square);
  }
  transform_square<size, kPatch, line>(
      [&](std::size_t row, std::size_t column) {
        return load(pixels + row * row_stride + column * pixel_stride);
      },
      [&](std::size_t row, std::size_t column, Vector value) {
        store(points + (row * kPatch + column) * point_stride, value);
      });
}

void transform_source(const WinogradPlane& plane, const WinogradTiles& tiles, float* points,
                      std::size_t point_stride, std::size_t tile_stride) {
  for (std::size_t tile = 0; tile < tiles.count; ++tile) {
    const std::ptrdiff_t x = tiles.x + static_cast<std::ptrdiff_t>(tile * kTile);
    for (std::size_t group = 0; group < 2 && plane.groups[group] != nullptr; ++group) {
      to_points<kPatch, source_line>(plane, plane.groups[group], tiles.y, x,
                                     points + tile * tile_stride + group * kWinogradLanes,
                                     point_stride);
    }
  }
}

void transform_gradient(const WinogradPlane& plane, const WinogradTiles& tiles, float* points,
                        std::size_t point_stride, std::size_t tile_stride) {
  for (std::size_t tile = 0; tile < tiles.count; ++tile) {
    const std::ptrdiff_t x = tiles.x + static_cast<std::ptrdiff_t>(tile * kTile);
    for (std::size_t group = 0; group < 2; ++group) {
      float* out = points + tile * tile_stride + group * kWinogradLanes;
      if (plane.groups[group] != nullptr) {
        to_points<kTile, gradient_line>(plane, plane.groups[group], tiles.y, x, out, point_stride);
        continue;
      }
      for (std::size_t point = 0; point < kWinogradPoints; ++point) {
        store(out + point * point_stride, Vector{});
      }
    }
  }
}

// Results of one tile, without those beyond the plane.
inline void to_results(const float* points, std::size_t point_stride, Vector bias, float lower,
                       float upper, const WinogradPlane& plane, float* pixels, std::size_t rows,
                       std::size_t columns) {
  const std::size_t row_stride = plane.width * plane.pixel_stride;
  const bool whole = rows >= kTile && columns >= kTile;
  const Vector low = Vector{} + lower;
  const Vector high = Vector{} + upper;
  transform_square<kPatch, kTile, result_line>(
      [&](std::size_t row, std::size_t column) {
        return load(points + (row * kPatch + column) * point_stride);
      },
      [&](std::size_t row, std::size_t column, Vector value) {
        if (!whole && (row >= rows || column >= columns)) return;
        Vector bounded = value + bias;
        bounded = bounded < low ? low : bounded;
        bounded = bounded > high ? high : bounded;
        store(pixels + row * row_stride + column * plane.pixel_stride, bounded);
      });
}

void transform_result(const float* points, std::size_t point_stride, std::size_t tile_stride,
                      const WinogradEpilogue& epilogue, const WinogradPlane& plane,
                      const WinogradTiles& tiles) {
  const auto y = static_cast<std::size_t>(tiles.y);
  for (std::size_t tile = 0; tile < tiles.count; ++tile) {
    const std::size_t x = static_cast<std::size_t>(tiles.x) + tile * kTile;
    for (std::size_t group = 0; group < 2 && plane.groups[group] != nullptr; ++group) {
      to_results(points + tile * tile_stride + group * kWinogradLanes, point_stride,
                 load(epilogue.bias + group * kWinogradLanes), epilogue.lower, epilogue.upper,
                 plane, plane.groups[group] + (y * plane.width + x) * plane.pixel_stride,
                 plane.height - y, plane.width - x);
    }
  }
}

void transform_weights(const float* taps, std::size_t tap_stride, std::size_t row_stride,
                       std::size_t count, float* points, std::size_t point_stride) {
  for (std::size_t i = 0; i < count; ++i) {
    transform_square<3, kPatch, weights_line>(
        [&](std::size_t row, std::size_t column) {
          return load(taps + i * row_stride + (row * 3 + column) * tap_stride);
        },
        [&](std::size_t row, std::size_t column, Vector value) {
          store(points + i * kWinogradPanel + (row * kPatch + column) * point_stride, value);
        });
  }
}

void mirror_weights(const float* taps, std::size_t tap_stride, std::size_t row_stride,
                    float* mirrored) {
  for (std::size_t tap = 0; tap < kWinogradTaps; ++tap) {
    const float* from = taps + (kWinogradTaps - 1 - tap) * tap_stride;
    for (std::size_t column = 0; column < kWinogradLanes; ++column) {
      Vector value;
#pragma GCC unroll 8
      for (std::size_t row = 0; row < kWinogradLanes; ++row) {
        value[row] = from[row * row_stride + column];
      }
      store(mirrored + (column * kWinogradTaps + tap) * kWinogradLanes, value);
    }
  }
}

void transform_weights_gradient(const float* points, std::size_t point_stride, std::size_t count,
                                bool accumulate, float* taps, std::size_t tap_stride,
                                std::size_t row_stride) {
  for (std::size_t i = 0; i < count; ++i) {
    transform_square<kPatch, 3, weights_gradient_line>(
        [&](std::size_t row, std::size_t column) {
          return load(points + i * kWinogradPanel + (row * kPatch + column) * point_stride);
        },
        [&](std::size_t row, std::size_t column, Vector value) {
          float* tap = taps + i * row_stride + (row * 3 + column) * tap_stride;
          store(tap, accumulate ? load(tap) + value : value);
        });
  }
}

}  // namespace

extern const WinogradKernels kWinogradTable;
const WinogradKernels kWinogradTable = {
    transform_source, transform_gradient,         transform_result,  transform_weights,
    mirror_weights,   transform_weights_gradient, winograd_multiply, winograd_multiply_transposed};

}  // namespace convoy::cpu::CONVOY_KERNEL_SET
