#pragma once

#include <cstdint>
#include <string>

namespace convoy::data {

struct JpegEncoding {
  int quality = 90;  // 1 .. 100
  bool progressive = false;
  bool chroma_subsampling = true;  // 4:2:0 instead of 4:4:4
};

// Encodes height x width pixels with `components` interleaved values each: 1 grey, 3 RGB, 4 CMYK as
// Adobe stores it (inverted). Throws Error with libjpeg's message if it refuses, for example
// pictures without pixels.
std::string encode_jpeg(const std::uint8_t* pixels, int width, int height, int components,
                        const JpegEncoding& encoding);

}  // namespace convoy::data
