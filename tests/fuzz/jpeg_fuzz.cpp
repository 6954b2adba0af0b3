// A picture: any bytes, decoded whole and, when it is large enough, in part, also reduced, and by
// the decoder of usual files.
#include "core/data/jpeg/baseline_decoder.hpp"
#include "core/data/jpeg/jpeg_decoder.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace {

// Larger ones decode the same way and take the fuzzer's time.
constexpr int kLargestSide = 64;

// Reads all that the planes say is readable, for the sanitizers to see.
void read_all(const convoy::data::PlaneViews& planes) {
  volatile std::uint8_t last = 0;
  for (const convoy::data::PlaneView& plane : planes)
    for (int y = 0; y < plane.height; ++y)
      for (std::size_t x = 0; x < plane.row_bytes; ++x) last = plane.row(y)[x];
  static_cast<void>(last);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view file = convoy::fuzz::as_text(data, size);
  convoy::data::JpegDecoder decoder;
  convoy::data::ByteImage image;
  convoy::fuzz::expect_result_or_error([&] {
    const convoy::data::ImageSize picture = decoder.open(file);
    if (picture.width > kLargestSide || picture.height > kLargestSide) return;
    decoder.decode({0, 0, picture.width, picture.height}, image);
    if (picture.width < 8 || picture.height < 8) return;
    decoder.open(file);
    const convoy::data::PixelWindow window{3, 2, picture.width - 5, picture.height - 6};
    convoy::data::BaselineDecoder usual;
    if (const convoy::data::PlaneViews* planes = usual.decode(file, picture, window))
      read_all(*planes);
    decoder.decode(window, image);
    for (const int reduction : {2, 4, 8}) {
      const convoy::data::ImageSize small =
          convoy::data::reduced_size(decoder.open(file), reduction);
      decoder.decode(
          {small.width / 3, small.height / 3, (small.width + 1) / 2, (small.height + 1) / 2},
          reduction);
    }
  });
  return 0;
}
