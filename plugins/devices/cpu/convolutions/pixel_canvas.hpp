#pragma once

#include <cstddef>
#include <vector>

#include "plugins/devices/cpu/convolutions/convolution_shape.hpp"
#include "plugins/devices/cpu/kernels/bf16.hpp"

namespace convoy::cpu {

// Distances between a source's images, rows and pixels in memory, in elements.
struct SourceSteps {
  std::size_t image, row, pixel;
};

// Distances of a source with consecutive pixels.
inline SourceSteps dense_steps(const ConvolutionShape& shape) {
  const std::size_t row = shape.in_width * shape.in_channels;
  return {shape.in_height * row, row, shape.in_channels};
}

// A numbering of the pixels of a convolution's result in which every tap of the filter reads its
// source at a fixed distance.
//
// All images are one below the other on a canvas. Between an image and the next row or image are
// enough empty positions for everything that a tap reads outside of the image. The source is split
// into planes, one for each remainder of its rows and columns by the stride, so that neighbouring
// results have neighbouring sources. Each plane uses the same canvas.
class PixelCanvas {
 public:
  explicit PixelCanvas(const ConvolutionShape& shape);
  // The same for a source with another memory layout.
  PixelCanvas(const ConvolutionShape& shape, const SourceSteps& source);

  // Position p of the result reads position p + offset of the tap's plane of the source.
  struct Tap {
    std::size_t plane;
    std::ptrdiff_t offset;
  };
  // In the order of the filter: rows, then columns.
  const std::vector<Tap>& taps() const { return taps_; }

  // A plane of the source and the range of its taps' offsets.
  struct Plane {
    std::size_t row, column;    // position of the first pixel on the image
    std::size_t rows, columns;  // how many of them the result reads
    std::ptrdiff_t first_offset, last_offset;
  };
  const std::vector<Plane>& planes() const { return planes_; }

  // Positions of all images.
  std::size_t positions() const { return images_ * rows_ * columns_; }

  // Writes, for `count` positions, the addresses of their pixels' channels, or `empty` for
  // positions without a pixel. Positions outside of the canvas are empty.
  void find_source(const Plane& plane, std::ptrdiff_t first, std::size_t count, const Bf16* source,
                   const Bf16* empty, const Bf16** found) const;
  void find_result(std::size_t first, std::size_t count, const Bf16* result, const Bf16* empty,
                   const Bf16** found) const;

 private:
  // Pixels in memory: distances in elements.
  struct Grid {
    const Bf16* first;
    std::size_t rows, columns;
    std::size_t image, row, pixel;
  };

  std::size_t plane_of(std::size_t row, std::size_t column);
  void add_taps();
  void find(const Grid& grid, std::ptrdiff_t first, std::size_t count, const Bf16* empty,
            const Bf16** found) const;

  ConvolutionShape shape_;
  SourceSteps source_;
  std::size_t images_, rows_, columns_;  // positions on the canvas, per image
  std::vector<Tap> taps_;
  std::vector<Plane> planes_;
};

}  // namespace convoy::cpu
