#include "core/data/image_preprocessor.hpp"

#include <algorithm>
#include <array>

#include "core/data/color_distortions.hpp"
#include "core/data/crop_sampler.hpp"

namespace convoy {
namespace {

constexpr float kEvaluationMargin = 1.145f;

}  // namespace

ImagePreprocessor::ImagePreprocessor(const DataOptions& options)
    : width_(options.width),
      height_(options.height),
      resize_method_(options.resize_method),
      distortions_(options.distortions) {}

void ImagePreprocessor::prepare_training(const LabelledImage& image, std::int64_t position,
                                         CounterRandom& random, float* result) {
  const ImageSize size = decoder_.open(image.encoded);
  decoder_.decode(sample_crop(size, image.boxes, random), decoded_);
  if (random.uniform() < 0.5) flip_horizontally(decoded_);
  resizer_.resize(decoded_, method_at(position), {width_, height_}, {0, 0, width_, height_},
                  resized_);
  if (distortions_) distort_colors(resized_, position % 2 == 0, random);
  write_normalised(result);
}

void ImagePreprocessor::prepare_evaluation(const LabelledImage& image, std::int64_t position,
                                           float* result) {
  const ImageSize size = decoder_.open(image.encoded);
  decoder_.decode({0, 0, size.width, size.height}, decoded_);
  const ImageSize full = evaluation_size(size);
  const PixelWindow centre = {(full.width - width_) / 2, (full.height - height_) / 2, width_,
                              height_};
  resizer_.resize(decoded_, method_at(position), full, centre, resized_);
  write_normalised(result);
}

// In the type and order in which tf_cnn_benchmarks computes it, so that both round alike.
ImageSize ImagePreprocessor::evaluation_size(ImageSize size) const {
  const auto columns = static_cast<float>(size.width);
  const auto rows = static_cast<float>(size.height);
  const float ratio =
      std::max(static_cast<float>(width_) / columns, static_cast<float>(height_) / rows);
  return {std::max(width_, static_cast<int>(columns * ratio * kEvaluationMargin)),
          std::max(height_, static_cast<int>(rows * ratio * kEvaluationMargin))};
}

ResizeMethod ImagePreprocessor::method_at(std::int64_t position) const {
  constexpr std::array<ResizeMethod, 4> kTurns = {ResizeMethod::kNearest, ResizeMethod::kBilinear,
                                                  ResizeMethod::kBicubic, ResizeMethod::kArea};
  if (resize_method_ != ResizeMethod::kRoundRobin) return resize_method_;
  return kTurns[static_cast<std::size_t>(position % 4)];
}

void ImagePreprocessor::write_normalised(float* result) const {
  const std::size_t pixels = static_cast<std::size_t>(width_) * height_;
  for (std::size_t channel = 0; channel < kRgb; ++channel) {
    const float* value = resized_.values.data() + channel;
    for (std::size_t i = 0; i < pixels; ++i, value += kRgb) *result++ = *value / 127.5f - 1.0f;
  }
}

}  // namespace convoy
