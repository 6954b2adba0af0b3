// The transforms of Winograd convolutions over planes of pixels and blocks of weights, compiled
// once per instruction set. They process sixteen channels at a time if registers hold them, else
// eight. They use no library templates, because the linker would share their out-of-line copies
// between the instruction sets.
#include "plugins/devices/cpu/kernels/winograd_lines.hpp"
#include "plugins/devices/cpu/kernels/winograd_squares.hpp"

namespace convoy::cpu::CONVOY_KERNEL_SET {

void winograd_multiply(const WinogradProduct& product);
void winograd_multiply_transposed(const WinogradProduct& product);

namespace {

#ifdef __AVX512F__
constexpr bool kWide = true;
constexpr std::size_t kColumns = 2 * kWinogradPanel;
constexpr std::size_t kCacheFloats = std::size_t{256} << 10;  // for second-level caches of 2 MB
#else
constexpr bool kWide = false;
constexpr std::size_t kColumns = kWinogradPanel;
constexpr std::size_t kCacheFloats = std::size_t{64} << 10;  // for second-level caches of 512 KB
#endif

// Taps per side of the filter.
constexpr std::size_t taps_of(std::size_t tile) {
  return kPatch + 1 - tile;
}

// Whether the sixteen channels of a plane fill a register.
template <typename Value>
[[maybe_unused]] inline bool is_wide(const WinogradPlane& plane) {
  return kWide && group_of<Value>(plane, 1) == group_of<Value>(plane, 0) + kWinogradLanes;
}

// Transforms one tile's square of pixels to points.
template <std::size_t size, typename Line, std::size_t lanes, typename Value>
inline void to_points(const WinogradPlane& plane, const Value* group, std::ptrdiff_t y,
                      std::ptrdiff_t x, float* points, std::size_t point_stride) {
  using L = Lanes<lanes>;
  alignas(64) Value square[size * size * lanes];
  const Value* pixels = square;
  std::size_t pixel_stride = lanes;
  std::size_t row_stride = size * lanes;
  if (lies_inside(plane, y, x, size)) {
    pixel_stride = plane.pixel_stride;
    row_stride = plane.width * pixel_stride;
    pixels = group + static_cast<std::size_t>(y) * row_stride +
             static_cast<std::size_t>(x) * pixel_stride;
  } else {
    copy_inside<size, lanes>(plane, group, y, x, square);
  }
  transform_square<lanes, size, kPatch, Line>(
      [&](std::size_t row, std::size_t column) {
        return L::load(pixels + row * row_stride + column * pixel_stride);
      },
      [&](std::size_t row, std::size_t column, typename L::Vector value) {
        L::store(points + (row * kPatch + column) * point_stride, value);
      });
}

// Transforms the sixteen channels of one tile; writes zeros for a missing group if requested.
template <std::size_t size, typename Line, typename Value>
inline void plane_to_points(const WinogradPlane& plane, std::ptrdiff_t y, std::ptrdiff_t x,
                            float* points, std::size_t point_stride, bool zeros) {
  if constexpr (kWide) {
    if (is_wide<Value>(plane)) {
      return to_points<size, Line, kWinogradPanel>(plane, group_of<Value>(plane, 0), y, x, points,
                                                   point_stride);
    }
  }
  using L = Lanes<kWinogradLanes>;
  for (std::size_t group = 0; group < 2; ++group) {
    float* out = points + group * kWinogradLanes;
    if (plane.groups[group] != nullptr) {
      to_points<size, Line, kWinogradLanes>(plane, group_of<Value>(plane, group), y, x, out,
                                            point_stride);
      continue;
    }
    for (std::size_t point = 0; zeros && point < kWinogradPoints; ++point) {
      L::store(out + point * point_stride, L::Vector{});
    }
  }
}

// Squares of `size` pixels per side, one tile apart. The next squares to prefetch are those of the
// row below.
template <std::size_t size, typename Line, std::size_t tile, typename Value>
inline void tiles_to_points(const WinogradPlane& plane, const WinogradTiles& tiles, float* points,
                            std::size_t point_stride, std::size_t tile_stride, bool zeros) {
  constexpr std::size_t kAhead = 2;
  for (std::size_t i = 0; i < tiles.count; ++i) {
    const bool below = i + kAhead >= tiles.count;
    const std::size_t ahead = below ? i + kAhead - tiles.count : i + kAhead;
    ask_for_square<size, tile, Value>(plane,
                                      tiles.y + static_cast<std::ptrdiff_t>(below ? tile : 0),
                                      tiles.x + static_cast<std::ptrdiff_t>(ahead * tile));
    plane_to_points<size, Line, Value>(plane, tiles.y,
                                       tiles.x + static_cast<std::ptrdiff_t>(i * tile),
                                       points + i * tile_stride, point_stride, zeros);
  }
}

template <std::size_t tile>
void transform_source(const WinogradPlane& plane, const WinogradTiles& tiles, float* points,
                      std::size_t point_stride, std::size_t tile_stride) {
  const auto transform = plane.bf16 ? tiles_to_points<kPatch, SourceLine, tile, Bf16>
                                    : tiles_to_points<kPatch, SourceLine, tile, float>;
  transform(plane, tiles, points, point_stride, tile_stride, false);
}

template <std::size_t tile>
void transform_gradient(const WinogradPlane& plane, const WinogradTiles& tiles, float* points,
                        std::size_t point_stride, std::size_t tile_stride) {
  const auto transform = plane.bf16 ? tiles_to_points<tile, GradientLine<tile>, tile, Bf16>
                                    : tiles_to_points<tile, GradientLine<tile>, tile, float>;
  transform(plane, tiles, points, point_stride, tile_stride, true);
}

// Computes the results of one tile, without those beyond the plane.
template <std::size_t tile, std::size_t lanes, typename Value>
inline void to_results(const float* points, std::size_t point_stride, const float* bias,
                       const WinogradEpilogue& epilogue, const WinogradPlane& plane, Value* pixels,
                       std::size_t rows, std::size_t columns) {
  using L = Lanes<lanes>;
  using Vector = typename L::Vector;
  const std::size_t row_stride = plane.width * plane.pixel_stride;
  const bool whole = rows >= tile && columns >= tile;
  const Vector added = L::load(bias);
  const Vector low = Vector{} + epilogue.lower;
  const Vector high = Vector{} + epilogue.upper;
  transform_square<lanes, kPatch, tile, ResultLine<tile>>(
      [&](std::size_t row, std::size_t column) {
        return L::load(points + (row * kPatch + column) * point_stride);
      },
      [&](std::size_t row, std::size_t column, Vector value) {
        if (!whole && (row >= rows || column >= columns)) return;
        Vector bounded = value + added;
        bounded = bounded < low ? low : bounded;
        bounded = bounded > high ? high : bounded;
        L::store(pixels + row * row_stride + column * plane.pixel_stride, bounded);
      });
}

template <std::size_t tile, typename Value>
inline void points_to_results(const float* points, std::size_t point_stride,
                              std::size_t tile_stride, const WinogradEpilogue& epilogue,
                              const WinogradPlane& plane, const WinogradTiles& tiles) {
  const auto y = static_cast<std::size_t>(tiles.y);
  const std::size_t rows = plane.height - y;
  for (std::size_t i = 0; i < tiles.count; ++i, points += tile_stride) {
    const std::size_t x = static_cast<std::size_t>(tiles.x) + i * tile;
    const std::size_t first = (y * plane.width + x) * plane.pixel_stride;
    if constexpr (kWide) {
      if (is_wide<Value>(plane)) {
        to_results<tile, kWinogradPanel>(points, point_stride, epilogue.bias, epilogue, plane,
                                         group_of<Value>(plane, 0) + first, rows, plane.width - x);
        continue;
      }
    }
    for (std::size_t group = 0; group < 2 && plane.groups[group] != nullptr; ++group) {
      to_results<tile, kWinogradLanes>(
          points + group * kWinogradLanes, point_stride, epilogue.bias + group * kWinogradLanes,
          epilogue, plane, group_of<Value>(plane, group) + first, rows, plane.width - x);
    }
  }
}

template <std::size_t tile>
void transform_result(const float* points, std::size_t point_stride, std::size_t tile_stride,
                      const WinogradEpilogue& epilogue, const WinogradPlane& plane,
                      const WinogradTiles& tiles) {
  const auto transform =
      plane.bf16 ? points_to_results<tile, Bf16> : points_to_results<tile, float>;
  transform(points, point_stride, tile_stride, epilogue, plane, tiles);
}

// Calls use(lanes as a type, first column) for the columns of a block of weights.
template <typename Use>
inline void for_columns(std::size_t block, const Use& use) {
  if constexpr (kWide) {
    if (block == kWinogradPanel) return use(Lanes<kWinogradPanel>{}, 0);
  }
  for (std::size_t first = 0; first < block; first += kWinogradLanes) {
    use(Lanes<kWinogradLanes>{}, first);
  }
}

template <std::size_t taps_per_side, std::size_t lanes>
inline void weights_row(const float* taps, std::size_t tap_stride, float* points,
                        std::size_t point_stride) {
  using L = Lanes<lanes>;
  transform_square<lanes, taps_per_side, kPatch, WeightsLine<taps_per_side>>(
      [&](std::size_t row, std::size_t column) {
        return L::load(taps + (row * taps_per_side + column) * tap_stride);
      },
      [&](std::size_t row, std::size_t column, typename L::Vector value) {
        L::store(points + (row * kPatch + column) * point_stride, value);
      });
}

template <std::size_t tile>
void transform_weights(const float* taps, std::size_t block, float* points,
                       std::size_t point_stride, std::size_t row_stride) {
  for_columns(block, [&]<std::size_t lanes>(Lanes<lanes>, std::size_t first) {
    for (std::size_t i = 0; i < block; ++i) {
      weights_row<taps_of(tile), lanes>(taps + i * block + first, block * block,
                                        points + i * row_stride + first, point_stride);
    }
  });
}

template <std::size_t tile>
void transform_mirrored(const float* taps, std::size_t block, float* points,
                        std::size_t point_stride, std::size_t row_stride) {
  constexpr std::size_t kTaps = taps_of(tile) * taps_of(tile);
  alignas(64) float mirrored[kTaps * kWinogradPanel * kWinogradPanel];
  const std::size_t tap_stride = block * block;
  for (std::size_t tap = 0; tap < kTaps; ++tap) {
    const float* from = taps + (kTaps - 1 - tap) * tap_stride;
    float* to = mirrored + tap * tap_stride;
    for_columns(block, [&]<std::size_t lanes>(Lanes<lanes>, std::size_t first) {
      for (std::size_t row = 0; row < block; row += lanes) {
        transpose<lanes>(from + first * block + row, block, to + row * block + first, block);
      }
    });
  }
  transform_weights<tile>(mirrored, block, points, point_stride, row_stride);
}

template <std::size_t tile>
void transform_weights_gradient(const float* points, std::size_t point_stride,
                                std::size_t row_stride, std::size_t block, bool accumulate,
                                float* taps) {
  constexpr std::size_t kTaps = taps_of(tile);
  const std::size_t tap_stride = block * block;
  for_columns(block, [&]<std::size_t lanes>(Lanes<lanes>, std::size_t first) {
    using L = Lanes<lanes>;
    for (std::size_t i = 0; i < block; ++i) {
      transform_square<lanes, kPatch, kTaps, WeightsGradientLine<kTaps>>(
          [&](std::size_t row, std::size_t column) {
            return L::load(points + i * row_stride + first +
                           (row * kPatch + column) * point_stride);
          },
          [&](std::size_t row, std::size_t column, typename L::Vector value) {
            float* tap = taps + i * block + first + (row * kTaps + column) * tap_stride;
            L::store(tap, accumulate ? L::load(tap) + value : value);
          });
    }
  });
}

template <std::size_t tile>
constexpr WinogradKernels table() {
  return {tile,
          taps_of(tile),
          kColumns,
          kCacheFloats,
          transform_source<tile>,
          transform_gradient<tile>,
          transform_result<tile>,
          transform_weights<tile>,
          transform_mirrored<tile>,
          transform_weights_gradient<tile>,
          winograd_multiply,
          winograd_multiply_transposed};
}

}  // namespace

extern const WinogradKernels kWinogradTables[2];
const WinogradKernels kWinogradTables[2] = {table<4>(), table<2>()};

}  // namespace convoy::cpu::CONVOY_KERNEL_SET
