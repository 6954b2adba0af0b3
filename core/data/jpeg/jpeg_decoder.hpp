#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "core/data/augment/image.hpp"

namespace convoy::data {

// Larger pictures are refused, because a few hundred bytes of a file may claim gigabytes of pixels.
inline constexpr std::int64_t kLargestImagePixels = 100'000'000;

// A progressive file with more scans is refused, because thousands of them keep a decoder busy for
// minutes. Other training decoders use the same limit.
inline constexpr int kLargestScanCount = 500;

// Returns the size of a picture that is decoded with `reduction`.
ImageSize reduced_size(ImageSize size, int reduction);

// Decodes JPEG files to RGB, completely or only a window. Grey and CMYK pictures are converted.
// Reuse one decoder for many pictures, from one thread. Throws BadRecord for files that are not
// JPEG, damaged, truncated, or over the limits above.
class JpegDecoder {
 public:
  JpegDecoder();
  ~JpegDecoder();
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  // Reads the header. `file` must stay valid until decode() returns.
  ImageSize open(std::string_view file);

  // Decodes `window`, which lies inside the picture, of the file given to open(). Call it once per
  // open(). It costs little more than the window's share of the picture. The pixels are the same as
  // in a full decode.
  void decode(const PixelWindow& window, ByteImage& image);

  // The same with sides of 1 / `reduction` (1, 2, 4 or 8). Each pixel is about the mean of a
  // square. It is faster, because less is computed. `window` belongs to the reduced picture, whose
  // size is reduced_size(). The view is valid until the next decode.
  PixelView decode(const PixelWindow& window, int reduction);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace convoy::data
