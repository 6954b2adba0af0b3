#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/data/augment/image.hpp"
#include "core/data/augment/kernels/table.hpp"
#include "core/data/jpeg/jpeg_scan.hpp"

namespace convoy::data {

// A part of one plane of a picture. It is measured in the plane's own pixels, each of which covers
// `columns` x `rows` pixels of the picture.
struct PlaneView {
  int columns = 1;
  int rows = 1;
  int x = 0;  // position of the part in the plane
  int y = 0;
  int width = 0;
  int height = 0;
  const std::uint8_t* pixels = nullptr;
  std::size_t row_bytes = 0;  // a multiple of 8; all bytes are readable

  const std::uint8_t* row(int y_inside) const {
    return pixels + row_bytes * static_cast<std::size_t>(y_inside);
  }
};

// The planes luminance, blue difference and red difference.
using PlaneViews = std::array<PlaneView, 3>;

// Decodes windows of the usual kind of JPEG file, faster than libjpeg. It reads codes in fewer
// dependent steps, and reads what lies outside the window but neither keeps nor transforms it.
// Pixels of the planes differ from libjpeg's by 1 at most, because nothing is rounded in between.
// Unusual or damaged files are left to JpegDecoder, which knows all kinds and judges damage. Reuse
// one decoder for many files, from one thread.
class BaselineDecoder {
 public:
  // Decodes the surroundings of `window` in a picture of this size, so that the chroma of the
  // window can be interpolated. Null if this decoder cannot decode the file. The result is valid
  // until the next call.
  const PlaneViews* decode(std::string_view file, ImageSize size, const PixelWindow& window);

 private:
  struct Blocks;  // a range of the groups of blocks in a row or a column of the picture

  Blocks groups_around(int first, int count, int rows_or_columns, int size) const;
  void prepare_planes(const Blocks& columns, const Blocks& rows);
  bool decode_groups(const Blocks& columns, const Blocks& rows);

  const PixelKernels& kernels_ = pixel_kernels();
  JpegScan scan_;
  PlaneViews views_;
  std::array<std::vector<std::uint8_t>, 3> pixels_;
  std::array<std::array<float, 64>, 3> factors_;  // factors of the coefficients, column by column
};

}  // namespace convoy::data
