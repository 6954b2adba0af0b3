#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/data/augment/image.hpp"
#include "core/data/jpeg/huffman_table.hpp"

namespace convoy::data {

// The data that decoding needs for the usual kind of JPEG file: baseline, luminance and two chroma
// components in one scan, eight bits, no restart markers, chroma with all or half of the columns
// and rows. The object is large, so reuse it.
struct JpegScan {
  struct Component {
    // The quantisation step of each coefficient, in the order of the file.
    std::array<float, 64> steps;
    std::size_t differences = 0;  // number of its table
    std::size_t values = 0;
  };

  ImageSize size;
  int chroma_columns = 1;  // columns of the picture per chroma column: 1 or 2
  int chroma_rows = 1;
  std::array<Component, 3> components;
  std::array<HuffmanTable, 4> differences;
  std::array<HuffmanTable, 4> values;
  // The coded coefficients, without stuffed bytes, followed by kPadding zeros.
  std::vector<std::uint8_t> data;
  std::size_t data_bytes = 0;  // without the padding

  static constexpr std::size_t kPadding = 4096;
};

// Returns false if `file` is of another kind or in any way unusual. Then `scan` is meaningless.
bool read_usual_jpeg(std::string_view file, JpegScan& scan);

}  // namespace convoy::data
