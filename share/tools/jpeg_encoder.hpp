#pragma once

#include <cstdint>
#include <string>

namespace convoy {

struct JpegEncoding {
  int quality = 90;  // 1 .. 100
  bool progressive = false;
  bool chroma_subsampling = true;  // 4:2:0 instead of 4:4:4
};

// Encodes `components` interleaved values per pixel: 1 grey, 3 RGB, 4 CMYK as Adobe stores it
// (inverted). Ends the program with libjpeg's message if that fails, as a tool may.
std::string encode_jpeg(const std::uint8_t* pixels, int width, int height, int components,
                        const JpegEncoding& encoding);

}  // namespace convoy
