#include "core/data/jpeg/jpeg_decoder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "core/data/pipeline/bad_record.hpp"
#include "core/data/pipeline/counter_random.hpp"
#include "tests/data/data_test_support.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::data {
namespace {

using testing::encode_picture;
using ::testing::HasSubstr;
using testing::make_constant_picture;
using testing::make_picture;

ByteImage decode(JpegDecoder& decoder, const std::string& file, PixelWindow window = {}) {
  const ImageSize size = decoder.open(file);
  if (window.width == 0) window = {0, 0, size.width, size.height};
  ByteImage image;
  decoder.decode(window, image);
  return image;
}

ByteImage decode(const std::string& file) {
  JpegDecoder decoder;
  return decode(decoder, file);
}

// Largest difference between `window` of `full` and `part`.
int largest_difference(const ByteImage& full, const PixelWindow& window, const ByteImage& part) {
  int largest = 0;
  for (int y = 0; y < window.height; ++y) {
    const std::uint8_t* expected = full.row(window.y + y) + window.x * kRgb;
    const std::uint8_t* actual = part.row(y);
    for (int i = 0; i < window.width * kRgb; ++i) {
      largest = std::max(largest, std::abs(expected[i] - actual[i]));
    }
  }
  return largest;
}

TEST(JpegDecoder, DecodesCloseToTheOriginal) {
  const ByteImage picture = make_picture(61, 47, 1);
  JpegEncoding encoding;
  encoding.quality = 98;
  encoding.chroma_subsampling = false;
  const ByteImage decoded = decode(encode_picture(picture, encoding));
  ASSERT_EQ(decoded.width, 61);
  ASSERT_EQ(decoded.height, 47);
  EXPECT_LE(largest_difference(picture, {0, 0, 61, 47}, decoded), 12);
}

// Exact: the decoder takes two columns more on both sides, and libjpeg keeps the rows around
// skipped ones, so the interpolation of chroma sees the same neighbours.
TEST(JpegDecoder, AWindowHasThePixelsOfAFullDecode) {
  JpegDecoder decoder;
  CounterRandom random(5, RandomPurpose::kAugmentation, 0, 0);
  for (const bool progressive : {false, true}) {
    for (const bool subsampled : {false, true}) {
      const ByteImage picture = make_picture(131, 97, 2);
      const std::string file = encode_picture(picture, {90, progressive, subsampled});
      const ByteImage full = decode(decoder, file);
      for (int i = 0; i < 150; ++i) {
        PixelWindow window;
        window.width = 1 + static_cast<int>(random.below(131));
        window.height = 1 + static_cast<int>(random.below(97));
        window.x = static_cast<int>(random.below(static_cast<std::uint32_t>(132 - window.width)));
        window.y = static_cast<int>(random.below(static_cast<std::uint32_t>(98 - window.height)));
        const ByteImage part = decode(decoder, file, window);
        ASSERT_EQ(largest_difference(full, window, part), 0)
            << "progressive " << progressive << ", subsampled " << subsampled << ", window "
            << window.width << " x " << window.height << " at " << window.x << ", " << window.y;
      }
    }
  }
}

// A reduced picture is near the mean of squares of the whole one (not equal to it: the transform
// leaves out high frequencies, and chroma is not interpolated).
TEST(JpegDecoder, AReducedWindowIsTheMeanOfSquares) {
  const std::string file =
      encode_picture(make_constant_picture(97, 65, 200, 90, 30), {95, false, true});
  JpegDecoder decoder;
  for (const int reduction : {2, 4, 8}) {
    const ImageSize size = reduced_size(decoder.open(file), reduction);
    const PixelWindow window = {size.width / 3, size.height / 3, size.width / 2, size.height / 2};
    const PixelView view = decoder.decode(window, reduction);
    ASSERT_EQ(view.width, window.width);
    for (int y = 0; y < view.height; ++y) {
      for (int x = 0; x < view.width; ++x) {
        ASSERT_NEAR(view.row(y)[kViewBytes * x], 200, 3) << "reduction " << reduction;
        ASSERT_NEAR(view.row(y)[kViewBytes * x + 2], 30, 4) << "reduction " << reduction;
      }
    }
  }
}

TEST(JpegDecoder, AReducedWindowHasThePixelsOfTheReducedPicture) {
  JpegDecoder decoder;
  CounterRandom random(6, RandomPurpose::kAugmentation, 0, 0);
  const std::string file = encode_picture(make_picture(331, 197, 2), {90, false, true});
  for (const int reduction : {2, 4, 8}) {
    const ImageSize size = reduced_size(decoder.open(file), reduction);
    const PixelView view = decoder.decode({0, 0, size.width, size.height}, reduction);
    const std::vector<std::uint8_t> whole(view.pixels, view.row(size.height));
    const std::size_t row_bytes = view.row_bytes;
    for (int i = 0; i < 40; ++i) {
      PixelWindow window;
      window.width = 1 + static_cast<int>(random.below(static_cast<std::uint32_t>(size.width)));
      window.height = 1 + static_cast<int>(random.below(static_cast<std::uint32_t>(size.height)));
      window.x =
          static_cast<int>(random.below(static_cast<std::uint32_t>(size.width - window.width + 1)));
      window.y = static_cast<int>(
          random.below(static_cast<std::uint32_t>(size.height - window.height + 1)));
      decoder.open(file);
      const PixelView part = decoder.decode(window, reduction);
      for (int y = 0; y < window.height; ++y) {
        for (int x = 0; x < window.width; ++x) {
          const std::size_t at = row_bytes * static_cast<std::size_t>(window.y + y) +
                                 static_cast<std::size_t>(kViewBytes * (window.x + x));
          for (int c = 0; c < kRgb; ++c) {
            ASSERT_EQ(part.row(y)[kViewBytes * x + c], whole[at + static_cast<std::size_t>(c)])
                << "reduction " << reduction << ", pixel " << x << ", " << y << " of "
                << window.width << " x " << window.height << " at " << window.x << ", " << window.y;
          }
        }
      }
    }
  }
}

// Decoding ends with the window, but everything above it has to be read.
TEST(JpegDecoder, ATruncationBelowTheWindowDoesNoHarmAndOneAboveItIsAnError) {
  const std::string file = encode_picture(make_picture(160, 160, 3), {90, false, true});
  const std::string half = file.substr(0, file.size() / 2);
  JpegDecoder decoder;
  const ByteImage whole = decode(decoder, file, {10, 4, 60, 20});
  EXPECT_EQ(decode(decoder, half, {10, 4, 60, 20}).values, whole.values);
  EXPECT_THROW(decode(decoder, half, {10, 130, 60, 20}), BadRecord);
  decoder.open(half);
  EXPECT_THROW(decoder.decode({5, 60, 30, 18}, 2), BadRecord);
}

TEST(JpegDecoder, GreyBecomesThreeEqualChannels) {
  const std::vector<std::uint8_t> grey(20 * 10, 77);
  const ByteImage decoded = decode(encode_jpeg(grey.data(), 20, 10, 1, {}));
  ASSERT_EQ(decoded.values.size(), 20u * 10 * 3);
  for (const std::uint8_t value : decoded.values) ASSERT_NEAR(value, 77, 1);
}

TEST(JpegDecoder, CmykBecomesRgb) {
  // Adobe's inverted values: 255 is no ink. Cyan ink 55, magenta 0, yellow 155, black 55.
  std::vector<std::uint8_t> cmyk;
  for (int i = 0; i < 16 * 16; ++i) cmyk.insert(cmyk.end(), {200, 255, 100, 200});
  const ByteImage decoded = decode(encode_jpeg(cmyk.data(), 16, 16, 4, {}));
  for (std::size_t i = 0; i < decoded.values.size(); i += kRgb) {
    ASSERT_NEAR(decoded.values[i], 200.0 * 200 / 255, 3);
    ASSERT_NEAR(decoded.values[i + 1], 200, 3);
    ASSERT_NEAR(decoded.values[i + 2], 100.0 * 200 / 255, 3);
  }
}

TEST(JpegDecoder, DecodesASinglePixel) {
  const ByteImage decoded = decode(encode_picture(make_constant_picture(1, 1, 200, 100, 50)));
  ASSERT_EQ(decoded.values.size(), 3u);
  EXPECT_NEAR(decoded.values[0], 200, 4);
  EXPECT_NEAR(decoded.values[1], 100, 4);
  EXPECT_NEAR(decoded.values[2], 50, 4);
}

TEST(JpegDecoder, NamesPngFiles) {
  const std::string png("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
  EXPECT_THAT(thrown_text([&] { decode(png); }), HasSubstr("PNG"));
}

TEST(JpegDecoder, RefusesWhatIsNotAJpegFile) {
  for (const std::string& file : {std::string(), std::string("text"), std::string(1000, '\0'),
                                  std::string("\xff\xd8"), std::string("\xff\xd8\xff\xd9")}) {
    EXPECT_THROW(decode(file), BadRecord) << file.size() << " bytes";
  }
}

TEST(JpegDecoder, TruncatedFilesAreErrors) {
  for (const bool progressive : {false, true}) {
    const std::string file = encode_picture(make_picture(40, 40, 3), {90, progressive, true});
    JpegDecoder decoder;
    for (std::size_t size = 0; size + 2 < file.size(); size += 7) {
      EXPECT_THROW(decode(decoder, file.substr(0, size)), BadRecord)
          << size << " of " << file.size() << " bytes, progressive " << progressive;
    }
    EXPECT_EQ(decode(decoder, file).width, 40) << "the decoder is usable after errors";
  }
}

TEST(JpegDecoder, DamagedBytesNeverDoWorseThanAnError) {
  const std::string file = encode_picture(make_picture(40, 40, 4), {90, true, true});
  JpegDecoder decoder;
  int rejected = 0;
  for (std::size_t i = 0; i < file.size(); ++i) {
    std::string damaged = file;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    try {
      decode(decoder, damaged);
    } catch (const BadRecord&) {
      ++rejected;
    }
  }
  EXPECT_GT(rejected, 0);
}

// Rewrites the size in the frame header (marker 0xffc0 or 0xffc2).
std::string with_size(std::string file, int width, int height) {
  for (std::size_t i = 2; i + 8 < file.size(); ++i) {
    if (file[i] == '\xff' && (file[i + 1] == '\xc0' || file[i + 1] == '\xc2')) {
      file[i + 5] = static_cast<char>(height >> 8);
      file[i + 6] = static_cast<char>(height);
      file[i + 7] = static_cast<char>(width >> 8);
      file[i + 8] = static_cast<char>(width);
      return file;
    }
  }
  return {};
}

TEST(JpegDecoder, RefusesTooManyPixelsBeforeDecoding) {
  const std::string file = encode_picture(make_picture(16, 16, 5), {90, true, true});
  EXPECT_THAT(thrown_text([&] { decode(with_size(file, 65000, 65000)); }),
              HasSubstr("65000 x 65000 pixels"));
  EXPECT_THAT(thrown_text([&] { decode(with_size(file, 10000, 10001)); }), HasSubstr("at most"));
}

TEST(JpegDecoder, RefusesThousandsOfScans) {
  // The last scan of a progressive file, again and again.
  const std::string file = encode_picture(make_picture(16, 16, 6), {90, true, true});
  const std::size_t last_scan = file.rfind("\xff\xda");
  const std::string scan = file.substr(last_scan, file.size() - 2 - last_scan);
  std::string many = file.substr(0, file.size() - 2);
  for (int i = 0; i < 2000; ++i) many += scan;
  EXPECT_THAT(thrown_text([&] { decode(many + "\xff\xd9"); }), HasSubstr("500 progressive scans"));
}

}  // namespace
}  // namespace convoy::data
