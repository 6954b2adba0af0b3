#include "core/data/image_preprocessor.hpp"

#include <gtest/gtest.h>

#include "tests/data/data_test_support.hpp"

namespace convoy {
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
        const auto index = static_cast<std::size_t>((channel * 20 + y) * 20 + x);
        ASSERT_NEAR(result[index], enlarged.row(y + 12)[(x + 1) * kRgb + channel] / 127.5f - 1,
                    1e-6)
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
}  // namespace convoy
