#include "core/data/jpeg/baseline_decoder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/data/augment/image_preprocessor.hpp"
#include "core/data/augment/plane_resizer.hpp"
#include "core/data/augment/view_resizer.hpp"
#include "core/data/jpeg/jpeg_decoder.hpp"
#include "core/data/pipeline/counter_random.hpp"
#include "tests/data/data_test_support.hpp"

namespace convoy::data {
namespace {

using testing::encode_picture;
using testing::make_constant_picture;
using testing::make_picture;

// Detail of all directions, but no more than chroma of half the size can hold, and no colour that
// the conversion has to limit.
ByteImage make_soft_picture(int width, int height) {
  ByteImage picture;
  picture.resize(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double light = 40 * std::sin(x * 0.9) * std::cos(y * 0.7) + 20 * std::sin(x * y * 0.01);
      std::uint8_t* pixel = picture.row(y) + x * kRgb;
      pixel[0] = static_cast<std::uint8_t>(120 + light + 30 * std::sin(x * 0.08));
      pixel[1] = static_cast<std::uint8_t>(120 + light);
      pixel[2] = static_cast<std::uint8_t>(120 + light + 30 * std::cos(y * 0.1));
    }
  }
  return picture;
}

// A crop of a picture, resized to `out` pixels both ways by either decoder.
struct Resized {
  std::vector<float> own, by_libjpeg;
};
Resized resize_both(const std::string& file, const PixelWindow& crop, int out, bool mirrored) {
  const auto values = 3 * static_cast<std::size_t>(out) * static_cast<std::size_t>(out);
  Resized result = {std::vector<float>(values), std::vector<float>(values)};
  JpegDecoder decoder;
  BaselineDecoder own;
  const ImageSize size = decoder.open(file);
  const PlaneViews* planes = own.decode(file, size, crop);
  if (planes == nullptr) return {};
  ResizedAxis columns = {crop.width, out, 0, out, mirrored, 1, crop.x, crop.x, crop.width};
  ResizedAxis rows = {crop.height, out, 0, out, false, 1, crop.y, crop.y, crop.height};
  PlaneResizer().resize(*planes, columns, rows, {}, result.own.data());
  ViewResizer().resize(decoder.decode(crop, 1), columns, rows, {}, result.by_libjpeg.data());
  return result;
}

PixelWindow random_window(CounterRandom& random, int width, int height) {
  PixelWindow window;
  window.width = 1 + static_cast<int>(random.below(static_cast<std::uint32_t>(width)));
  window.height = 1 + static_cast<int>(random.below(static_cast<std::uint32_t>(height)));
  window.x = static_cast<int>(random.below(static_cast<std::uint32_t>(width - window.width + 1)));
  window.y = static_cast<int>(random.below(static_cast<std::uint32_t>(height - window.height + 1)));
  return window;
}

// Three causes of differences, in levels of 255: libjpeg rounds planes, enlarged chroma and colours
// (1 + 1.77 at most, as blue is luminance and 1.77 times a difference, then half for colours), and
// interpolates enlarged chroma, which cuts corners where chroma bends.
TEST(BaselineDecoder, GivesWhatLibjpegGivesWithinAFewLevels) {
  CounterRandom random(5, RandomPurpose::kAugmentation, 0, 0);
  double squares = 0, values = 0;
  for (const bool subsampled : {true, false}) {
    for (const int quality : {75, 96}) {
      const std::string file =
          encode_picture(make_soft_picture(131, 97), {quality, false, subsampled});
      for (int i = 0; i < 60; ++i) {
        const PixelWindow window = random_window(random, 131, 97);
        const Resized both = resize_both(file, window, 37, i % 2 == 0);
        ASSERT_FALSE(both.own.empty());
        for (std::size_t k = 0; k < both.own.size(); ++k) {
          const double difference = double(both.own[k]) - double(both.by_libjpeg[k]);
          squares += difference * difference;
          ++values;
          ASSERT_LE(std::abs(difference), 6)
              << "subsampled " << subsampled << ", quality " << quality << ", value " << k << ", "
              << window.width << " x " << window.height << " at " << window.x << ", " << window.y;
        }
      }
    }
  }
  const double root_mean_square = std::sqrt(squares / values);
  RecordProperty("root_mean_square", std::to_string(root_mean_square));
  EXPECT_LT(root_mean_square, 0.8);
}

TEST(BaselineDecoder, AConstantPictureStaysConstant) {
  const std::string file =
      encode_picture(make_constant_picture(75, 50, 200, 90, 30), {95, false, true});
  const Resized both = resize_both(file, {20, 10, 31, 23}, 16, false);
  ASSERT_FALSE(both.own.empty());
  for (std::size_t i = 0; i < 256; ++i) {
    ASSERT_NEAR(both.own[i], 200, 3);
    ASSERT_NEAR(both.own[256 + i], 90, 3);
    ASSERT_NEAR(both.own[512 + i], 30, 3);
  }
}

TEST(BaselineDecoder, OnePixelPicturesAndWindows) {
  for (const ImageSize size : {ImageSize{1, 1}, ImageSize{17, 1}, ImageSize{1, 33}}) {
    const std::string file =
        encode_picture(make_constant_picture(size.width, size.height, 200, 100, 50));
    const Resized both = resize_both(file, {size.width - 1, size.height - 1, 1, 1}, 3, true);
    ASSERT_FALSE(both.own.empty());
    for (std::size_t i = 0; i < 9; ++i) ASSERT_NEAR(both.own[i], 200, 5);
  }
}

TEST(BaselineDecoder, LeavesOtherKindsAndTruncatedFilesToLibjpeg) {
  BaselineDecoder decoder;
  const ByteImage picture = make_picture(40, 40, 3);
  const PixelWindow window = {0, 0, 40, 40};
  const std::string usual = encode_picture(picture, {90, false, true});
  EXPECT_NE(decoder.decode(usual, {40, 40}, window), nullptr);
  EXPECT_EQ(decoder.decode(usual, {41, 40}, window), nullptr) << "another size";
  const std::string progressive = encode_picture(picture, {90, true, true});
  EXPECT_EQ(decoder.decode(progressive, {40, 40}, window), nullptr);
  const std::vector<std::uint8_t> grey(40 * 40, 77);
  EXPECT_EQ(decoder.decode(encode_jpeg(grey.data(), 40, 40, 1, {}), {40, 40}, window), nullptr);
  for (std::size_t size = 0; size < usual.size(); ++size)
    ASSERT_EQ(decoder.decode(usual.substr(0, size), {40, 40}, window), nullptr) << size;
}

// Whatever the bytes are, nothing is read or written outside: what the sanitizers watch.
TEST(BaselineDecoder, DamagedFilesAreDecodedOrLeftToLibjpeg) {
  const std::string file = encode_picture(make_soft_picture(40, 40), {90, false, true});
  BaselineDecoder decoder;
  int left = 0, decoded = 0;
  for (std::size_t i = 0; i < file.size(); ++i) {
    for (const int change : {0x55, 0xff, 0x80}) {
      std::string damaged = file;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      ++(decoder.decode(damaged, {40, 40}, {3, 3, 30, 30}) == nullptr ? left : decoded);
    }
  }
  EXPECT_GT(left, 0);
  EXPECT_GT(decoded, 0);
  EXPECT_NE(decoder.decode(file, {40, 40}, {3, 3, 30, 30}), nullptr) << "usable afterwards";
}

TEST(BaselineDecoder, AllInstructionSetsGiveTheSameBits) {
  CounterRandom random(8, RandomPurpose::kAugmentation, 0, 0);
  std::int16_t coefficients[64];
  float factors[64];
  for (int i = 0; i < 64; ++i) {
    coefficients[i] = static_cast<std::int16_t>(random.below(60)) - 30;
    factors[i] = static_cast<float>(random.uniform());
  }
  std::uint8_t expected[64], actual[64];
  usable_pixel_kernels().front()->transform_block(coefficients, factors, expected, 8);
  for (const PixelKernels* kernels : usable_pixel_kernels()) {
    kernels->transform_block(coefficients, factors, actual, 8);
    EXPECT_TRUE(std::equal(expected, expected + 64, actual)) << kernels->name;
  }
}

}  // namespace
}  // namespace convoy::data
