// The transforms of Winograd convolutions, compiled once per instruction set: eight channels at a
// time, first along columns, then along rows. Uses no library templates: their out-of-line copies
// would be shared between the instruction sets by the linker.
#include "plugins/devices/cpu/kernels/winograd.hpp"

namespace convoy::cpu::CONVOY_KERNEL_SET {

void winograd_multiply(const float* a, std::size_t row_stride, const float* b, float* c,
                       std::size_t rows, std::size_t depth, bool accumulate);
void winograd_multiply_transposed(const float* a, std::size_t depth_stride, const float* b,
                                  float* c, std::size_t rows, std::size_t depth, bool accumulate);

namespace {

typedef float Vector __attribute__((vector_size(kWinogradLanes * sizeof(float))));
typedef float Stored
    __attribute__((vector_size(kWinogradLanes * sizeof(float)), aligned(4), may_alias));

inline Vector load(const float* from) {
  return *reinterpret_cast<const Stored*>(from);
}

inline void store(float* to, Vector value) {
  *reinterpret_cast<Stored*>(to) = value;
}

// The interpolation points are 0, +-a, +-b and infinity. These roots round to results that are
// about 1.7 times as far from the exact ones as the direct algorithm's; with 1 and 2 it is 5 times.
constexpr double kA = 0.70710678118654752;
constexpr double kB = 1.4142135623730951;
constexpr double kA2 = kA * kA;
constexpr double kB2 = kB * kB;
// What divides the weights at +-a and +-b.
constexpr double kDivisorA = 2 * kA2 * (kA2 - kB2);
constexpr double kDivisorB = 2 * kB2 * (kB2 - kA2);

constexpr float rounded(double value) {
  return static_cast<float>(value);
}

constexpr std::size_t kTile = kWinogradTile;
constexpr std::size_t kPatch = kWinogradPatch;

// Of six values to the six points.
inline void source_line(const Vector (&d)[kPatch], Vector (&out)[kPatch]) {
  constexpr float kProduct = rounded(kA2 * kB2);
  constexpr float kSum = rounded(kA2 + kB2);
  const Vector even_a = d[4] - rounded(kB2) * d[2];
  const Vector odd_a = rounded(kA) * (d[3] - rounded(kB2) * d[1]);
  const Vector even_b = d[4] - rounded(kA2) * d[2];
  const Vector odd_b = rounded(kB) * (d[3] - rounded(kA2) * d[1]);
  out[0] = kProduct * d[0] + (d[4] - kSum * d[2]);
  out[1] = even_a + odd_a;
  out[2] = even_a - odd_a;
  out[3] = even_b + odd_b;
  out[4] = even_b - odd_b;
  out[5] = kProduct * d[1] + (d[5] - kSum * d[3]);
}

// Of the six points to four results.
inline void result_line(const Vector (&m)[kPatch], Vector (&out)[kTile]) {
  const Vector even_a = m[1] + m[2];
  const Vector odd_a = m[1] - m[2];
  const Vector even_b = m[3] + m[4];
  const Vector odd_b = m[3] - m[4];
  out[0] = m[0] + even_a + even_b;
  out[1] = rounded(kA) * odd_a + rounded(kB) * odd_b;
  out[2] = rounded(kA2) * even_a + rounded(kB2) * even_b;
  out[3] = rounded(kA2 * kA) * odd_a + (rounded(kB2 * kB) * odd_b + m[5]);
}

// Of four gradients to the six points.
inline void gradient_line(const Vector (&g)[kTile], Vector (&out)[kPatch]) {
  const Vector even_a = g[0] + rounded(kA2) * g[2];
  const Vector odd_a = rounded(kA) * g[1] + rounded(kA2 * kA) * g[3];
  const Vector even_b = g[0] + rounded(kB2) * g[2];
  const Vector odd_b = rounded(kB) * g[1] + rounded(kB2 * kB) * g[3];
  out[0] = g[0];
  out[1] = even_a + odd_a;
  out[2] = even_a - odd_a;
  out[3] = even_b + odd_b;
  out[4] = even_b - odd_b;
  out[5] = g[3];
}

// Of three weights to the six points.
inline void weights_line(const Vector (&g)[3], Vector (&out)[kPatch]) {
  const Vector even_a = rounded(1 / kDivisorA) * g[0] + rounded(kA2 / kDivisorA) * g[2];
  const Vector odd_a = rounded(kA / kDivisorA) * g[1];
  const Vector even_b = rounded(1 / kDivisorB) * g[0] + rounded(kB2 / kDivisorB) * g[2];
  const Vector odd_b = rounded(kB / kDivisorB) * g[1];
  out[0] = rounded(1 / (kA2 * kB2)) * g[0];
  out[1] = even_a + odd_a;
  out[2] = even_a - odd_a;
  out[3] = even_b + odd_b;
  out[4] = even_b - odd_b;
  out[5] = g[2];
}

// Of the six points to the gradients of three weights.
inline void weights_gradient_line(const Vector (&u)[kPatch], Vector (&out)[3]) {
  const Vector even_a = u[1] + u[2];
  const Vector odd_a = u[1] - u[2];
  const Vector even_b = u[3] + u[4];
  const Vector odd_b = u[3] - u[4];
  out[0] = rounded(1 / (kA2 * kB2)) * u[0] +
           (rounded(1 / kDivisorA) * even_a + rounded(1 / kDivisorB) * even_b);
  out[1] = rounded(kA / kDivisorA) * odd_a + rounded(kB / kDivisorB) * odd_b;
  out[2] = rounded(kA2 / kDivisorA) * even_a + (rounded(kB2 / kDivisorB) * even_b + u[5]);
}

// Applies a line transform to the columns and then to the rows of a square: value(row, column)
// gives the input, write(row, column, vector) takes the output.
template <std::size_t from, std::size_t to, void line(const Vector (&)[from], Vector (&)[to]),
          typename Value, typename Write>
inline void transform_square(const Value& value, const Write& write) {
  Vector half[to][from];
#pragma GCC unroll 6
  for (std::size_t column = 0; column < from; ++column) {
    Vector in[from];
    Vector out[to];
#pragma GCC unroll 6
    for (std::size_t row = 0; row < from; ++row) in[row] = value(row, column);
    line(in, out);
#pragma GCC unroll 6
    for (std::size_t row = 0; row < to; ++row) half[row][column] = out[row];
  }
#pragma GCC unroll 6
  for (std::size_t row = 0; row < to; ++row) {
    Vector out[to];
    line(half[row], out);
#pragma GCC unroll 6
    for (std::size_t column = 0; column < to; ++column) write(row, column, out[column]);
  }
}

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
