#include "core/data/augment/image_preprocessor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/data/augment/crop_sampler.hpp"
#include "core/data/augment/view_resizer.hpp"
#include "tests/data/data_test_support.hpp"

namespace convoy::data {
namespace {

using testing::encode_picture;
using testing::make_constant_picture;
using testing::make_picture;

DataOptions options_for(int width, int height) {
  DataOptions options;
  options.width = width;
  options.height = height;
  return options;
}

// Left half black, right half white.
LabelledImage half_and_half() {
  ByteImage image = make_constant_picture(64, 48, 0, 0, 0);
  for (int y = 0; y < 48; ++y) std::fill(image.row(y) + 32 * kRgb, image.row(y) + 64 * kRgb, 255);
  return {encode_picture(image), 1, {}};
}

TEST(ImagePreprocessor, WritesNormalisedPlanes) {
  const LabelledImage image = {encode_picture(make_constant_picture(50, 40, 255, 128, 0)), 1, {}};
  ImagePreprocessor preprocessor(options_for(6, 5));
  std::vector<float> training(3 * 30), evaluation(3 * 30);
  CounterRandom random(1, RandomPurpose::kAugmentation, 0, 0);
  preprocessor.prepare_training(image, 0, random, training.data());
  preprocessor.prepare_evaluation(image, 0, evaluation.data());
  for (const std::vector<float>& result : {training, evaluation}) {
    for (std::size_t i = 0; i < 30; ++i) {
      ASSERT_NEAR(result[i], 1.0, 0.03) << "red, pixel " << i;
      ASSERT_NEAR(result[30 + i], 128 / 127.5 - 1, 0.03) << "green, pixel " << i;
      ASSERT_NEAR(result[60 + i], -1.0, 0.03) << "blue, pixel " << i;
    }
  }
}

TEST(ImagePreprocessor, MirrorsHalfOfTheTrainingImages) {
  const LabelledImage image = half_and_half();
  ImagePreprocessor preprocessor(options_for(8, 8));
  std::vector<float> result(3 * 64);
  int mirrored = 0, straight = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    CounterRandom random(1, RandomPurpose::kAugmentation, i, 0);
    preprocessor.prepare_training(image, 0, random, result.data());
    mirrored += result[0] > 0.9f && result[7] < -0.9f ? 1 : 0;
    straight += result[0] < -0.9f && result[7] > 0.9f ? 1 : 0;
  }
  EXPECT_GT(mirrored + straight, 400);
  EXPECT_NEAR(mirrored, straight, 0.2 * (mirrored + straight));
}

TEST(ImagePreprocessor, EvaluationTakesTheCentreOfTheEnlargedImage) {
  // 30 x 60 to 20 x 20: scaled by 20/30 * 1.145 to 22 x 45, then 1 and 12 pixels are cut off.
  const ByteImage picture = make_picture(30, 60, 2);
  const LabelledImage image = {encode_picture(picture), 1, {}};
  ImagePreprocessor preprocessor(options_for(20, 20));
  std::vector<float> result(3 * 400);
  preprocessor.prepare_evaluation(image, 0, result.data());

  JpegDecoder decoder;
  ByteImage decoded;
  decoder.open(image.encoded);
  decoder.decode({0, 0, 30, 60}, decoded);
  Resizer resizer;
  FloatImage enlarged;
  resizer.resize(decoded, ResizeMethod::kBilinear, {22, 45}, {0, 0, 22, 45}, enlarged);
  for (int y = 0; y < 20; ++y) {
    for (int x = 0; x < 20; ++x) {
      for (int channel = 0; channel < kRgb; ++channel) {
        const int index = (channel * 20 + y) * 20 + x;
        ASSERT_NEAR(result[static_cast<std::size_t>(index)],
                    enlarged.row(y + 12)[(x + 1) * kRgb + channel] / 127.5f - 1, 1e-6)
            << "pixel " << x << ", " << y;
      }
    }
  }
}

TEST(ImagePreprocessor, EvaluationWorksForExtremeShapes) {
  ImagePreprocessor preprocessor(options_for(8, 8));
  std::vector<float> result(3 * 64);
  for (const ImageSize size : {ImageSize{1, 1}, ImageSize{1, 3000}, ImageSize{3000, 1}}) {
    const ByteImage picture = make_constant_picture(size.width, size.height, 255, 255, 255);
    const LabelledImage image = {encode_picture(picture), 1, {}};
    preprocessor.prepare_evaluation(image, 0, result.data());
    for (const float value : result) ASSERT_NEAR(value, 1, 0.01);
  }
}

// Crops at least twice as large as wanted are decoded smaller, which averages pixels where plain
// bilinear sampling picks some: the difference is bounded for smooth pictures.
TEST(ImagePreprocessor, ReducedDecodingStaysCloseToFullDecoding) {
  ByteImage picture;
  picture.resize(640, 480);
  for (int y = 0; y < 480; ++y) {
    for (int x = 0; x < 640; ++x) {
      std::uint8_t* pixel = picture.row(y) + x * kRgb;
      pixel[0] = static_cast<std::uint8_t>(128 + 100 * std::sin(x * 0.05));
      pixel[1] = static_cast<std::uint8_t>(128 + 100 * std::sin(y * 0.04 + x * 0.02));
      pixel[2] = static_cast<std::uint8_t>(x * 255 / 639);
    }
  }
  const LabelledImage image = {encode_picture(picture, {95, false, true}), 1, {}};
  for (const int size : {24, 50, 100}) {
    ImagePreprocessor preprocessor(options_for(size, size));
    const auto pixels = static_cast<std::size_t>(size) * size;
    std::vector<float> result(3 * pixels), expected(3 * pixels);
    double squares = 0;
    for (std::uint32_t i = 0; i < 20; ++i) {
      CounterRandom random(1, RandomPurpose::kAugmentation, i, 0), same = random;
      preprocessor.prepare_training(image, 0, random, result.data());
      JpegDecoder decoder;
      const PixelWindow crop = sample_crop(decoder.open(image.encoded), {}, same);
      const bool mirrored = same.uniform() < 0.5;
      const PixelView view = decoder.decode(crop, 1);
      ViewResizer().resize(view, {crop.width, size, 0, size, mirrored, 1, 0, 0, crop.width},
                           {crop.height, size, 0, size, false, 1, 0, 0, crop.height},
                           {1 / 127.5f, -1}, expected.data());
      for (std::size_t k = 0; k < result.size(); ++k)
        squares += std::pow(127.5 * (result[k] - expected[k]), 2);
    }
    const double mean = squares / (20.0 * 3 * static_cast<double>(pixels));
    const double decibels = 10 * std::log10(255 * 255 / mean);
    RecordProperty("peak_signal_to_noise_" + std::to_string(size), std::to_string(decibels));
    EXPECT_GT(decibels, 38) << "size " << size;
  }
}

TEST(ImagePreprocessor, RoundRobinTakesTheMethodsInTurn) {
  const LabelledImage image = {encode_picture(make_picture(64, 64, 3)), 1, {}};
  DataOptions options = options_for(20, 20);
  options.resize_method = ResizeMethod::kRoundRobin;
  ImagePreprocessor round_robin(options);
  constexpr ResizeMethod kTurns[] = {ResizeMethod::kNearest, ResizeMethod::kBilinear,
                                     ResizeMethod::kBicubic, ResizeMethod::kArea};
  for (std::int64_t position = 0; position < 8; ++position) {
    options.resize_method = kTurns[position % 4];
    ImagePreprocessor single(options);
    std::vector<float> expected(3 * 400), actual(3 * 400);
    single.prepare_evaluation(image, position, expected.data());
    round_robin.prepare_evaluation(image, position, actual.data());
    EXPECT_EQ(actual, expected) << "position " << position;
  }
}

}  // namespace
}  // namespace convoy::data
