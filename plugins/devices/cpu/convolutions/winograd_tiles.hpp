#pragma once

#include <algorithm>
#include <cstddef>

#include "plugins/devices/cpu/cache_lines.hpp"
#include "plugins/devices/cpu/convolutions/winograd.hpp"
#include "plugins/devices/cpu/kernels/bf16.hpp"
#include "plugins/devices/cpu/kernels/winograd.hpp"

namespace convoy::cpu {

// Points of one batch of tiles: 8 MB, which stay in the last-level cache between the phases.
inline constexpr std::size_t kWinogradPointFloats = std::size_t{2} << 20;
// Depth of one matrix product: the part of one operand that it reads stays in the first-level
// cache.
inline constexpr std::size_t kWinogradDepth = 256;
// Keeps rows and points from using the same sets of the caches.
inline constexpr std::size_t kWinogradSkew = 16;

// Activations of the whole batch in blocks of channels. With channels last, there is a single
// block.
struct WinogradImages {
  std::byte* data;
  std::size_t channels, height, width, block;
  bool bf16;

  // The input of a convolution of this shape.
  static WinogradImages source(const WinogradShape& shape, const void* data) {
    return {bytes(data),
            shape.in_channels,
            shape.in_height,
            shape.in_width,
            shape.bf16 ? shape.in_channels : shape.block,
            shape.bf16};
  }
  // Its output.
  static WinogradImages result(const WinogradShape& shape, const void* data) {
    return {bytes(data),
            shape.out_channels,
            shape.out_height,
            shape.out_width,
            shape.bf16 ? shape.out_channels : shape.block,
            shape.bf16};
  }

  std::size_t panels() const { return divide_up(channels, kWinogradPanel); }

  // Returns sixteen channels of an image, or the last eight.
  WinogradPlane plane(std::size_t image, std::size_t panel) const {
    const std::size_t size = bf16 ? sizeof(Bf16) : sizeof(float);
    WinogradPlane plane{{nullptr, nullptr}, block, height, width, bf16};
    for (std::size_t group = 0; group < 2; ++group) {
      const std::size_t channel = panel * kWinogradPanel + group * kWinogradLanes;
      if (channel >= channels) break;
      plane.groups[group] =
          data +
          ((image * channels + channel / block * block) * height * width + channel % block) * size;
    }
    return plane;
  }

 private:
  // Callers that only read do not write.
  static std::byte* bytes(const void* data) {
    return static_cast<std::byte*>(const_cast<void*>(data));
  }
};

// Consecutive tiles of one row of tiles.
struct WinogradStretch {
  std::size_t image;
  std::size_t y, x;   // the first tile's first result
  std::size_t count;  // tiles
  std::size_t first;  // index in the range that it is a part of
};

// The positions of its tiles' source values. The first tile's first value may be outside the plane.
inline WinogradTiles source_tiles(const WinogradStretch& stretch, const WinogradShape& shape) {
  return {static_cast<std::ptrdiff_t>(stretch.y) - static_cast<std::ptrdiff_t>(shape.pad_top),
          static_cast<std::ptrdiff_t>(stretch.x) - static_cast<std::ptrdiff_t>(shape.pad_left),
          stretch.count};
}

// All tiles of a batch of images in order of image, row and column, and batches of whole rows of
// tiles that are processed together. Depends on the shape alone.
struct WinogradTiling {
  std::size_t tile;        // results per side
  std::size_t columns;     // tiles per row
  std::size_t image_rows;  // rows of tiles per image
  std::size_t rows;        // of the whole batch
  std::size_t rows_at_once;

  // point_floats: floats per tile and point.
  WinogradTiling(const WinogradShape& shape, std::size_t point_floats)
      : tile(winograd_kernels(shape.taps).tile),
        columns(divide_up(shape.out_width, tile)),
        image_rows(divide_up(shape.out_height, tile)),
        rows(shape.batch * image_rows) {
    const std::size_t tiles = kWinogradPointFloats / (kWinogradPoints * point_floats);
    const std::size_t most = std::clamp<std::size_t>(tiles / columns, 1, rows);
    rows_at_once = divide_up(rows, divide_up(rows, most));
  }

  std::size_t tiles() const { return rows * columns; }
  std::size_t tiles_at_once() const { return rows_at_once * columns; }

  // Calls use(stretch) for `count` tiles from `first` on.
  template <typename Use>
  void for_each_stretch(std::size_t first, std::size_t count, const Use& use) const {
    for (std::size_t done = 0; done < count;) {
      const std::size_t row = (first + done) / columns;
      const std::size_t column = (first + done) % columns;
      const std::size_t size = std::min(columns - column, count - done);
      use(WinogradStretch{row / image_rows, row % image_rows * tile, column * tile, size, done});
      done += size;
    }
  }
};

// The channels of a convolution's result as columns of matrix products of one or two panels each.
struct WinogradColumns {
  std::size_t channels;  // in whole panels
  std::size_t most;      // columns per product

  WinogradColumns(std::size_t result_channels, std::size_t columns)
      : channels(divide_up(result_channels, kWinogradPanel) * kWinogradPanel),
        most(std::min(columns, channels)) {}

  std::size_t products() const { return divide_up(channels, most); }
  std::size_t of(std::size_t product) const { return std::min(most, channels - product * most); }
};

}  // namespace convoy::cpu
