#include "core/data/augment/image_preprocessor.hpp"

#include <algorithm>
#include <array>

#include "core/data/augment/crop_sampler.hpp"

namespace convoy::data {
namespace {

constexpr float kEvaluationMargin = 1.145f;
constexpr ViewResizer::Normalisation kNormalised = {1 / 127.5f, -1};  // to -1 .. 1
constexpr ViewResizer::Normalisation kUnit = {1 / 255.0f, 0};         // to 0 .. 1

// Returns the pixels of an axis of a reduced picture from which pixels first ... first + count - 1
// of the unreduced one are interpolated. `size` is the size of the reduced axis.
struct Range {
  int first = 0;
  int count = 0;
};
Range reduced_range(int first, int count, int reduction, int size) {
  // Counts in half pixels, because the middle of an even number of pixels lies between two of them.
  const auto before = [&](int pixel) { return (2 * pixel - (reduction - 1)) / (2 * reduction); };
  const int begin = std::clamp(before(first), 0, size - 1);
  const int end = std::clamp(before(first + count - 1) + 1, begin, size - 1);
  return {begin, end - begin + 1};
}

}  // namespace

ImagePreprocessor::ImagePreprocessor(const DataOptions& options)
    : width_(options.width),
      height_(options.height),
      resize_method_(options.resize_method),
      distortions_(options.distortions),
      distorter_(options.distort_in_yiq) {}

void ImagePreprocessor::prepare_training(const LabelledImage& image, std::int64_t position,
                                         CounterRandom& random, float* result) {
  const ImageSize size = decoder_.open(image.encoded);
  const PixelWindow crop = sample_crop(size, image.boxes, random);
  const bool mirrored = random.uniform() < 0.5;
  const ResizeMethod method = method_at(position);
  const ViewResizer::Normalisation& values = distortions_ ? kUnit : kNormalised;
  if (method == ResizeMethod::kBilinear) {
    prepare_bilinear(image.encoded, size, crop, mirrored, values, result);
  } else {
    decoder_.decode(crop, decoded_);
    if (mirrored) flip_horizontally(decoded_);
    resizer_.resize(decoded_, method, {width_, height_}, {0, 0, width_, height_}, resized_);
    write_planes(values, result);
  }
  if (distortions_) {
    distorter_.distort(result, static_cast<std::size_t>(width_) * height_, position % 2 == 0,
                       random);
  }
}

// Crops that are at least twice as large as needed are decoded with a reduction. For others,
// BaselineDecoder decodes the usual files.
void ImagePreprocessor::prepare_bilinear(std::string_view file, ImageSize size,
                                         const PixelWindow& crop, bool mirrored,
                                         const ViewResizer::Normalisation& normalisation,
                                         float* result) {
  const int reduction = reduction_for(crop);
  if (reduction == 1) {
    if (const PlaneViews* planes = baseline_decoder_.decode(file, size, crop)) {
      plane_resizer_.resize(*planes, {crop.width, width_, 0, width_, mirrored, 1, crop.x},
                            {crop.height, height_, 0, height_, false, 1, crop.y}, normalisation,
                            result);
      return;
    }
  }
  PixelWindow part = crop;
  if (reduction > 1) {
    const ImageSize reduced = reduced_size(size, reduction);
    const Range columns = reduced_range(crop.x, crop.width, reduction, reduced.width);
    const Range rows = reduced_range(crop.y, crop.height, reduction, reduced.height);
    part = {columns.first, rows.first, columns.count, rows.count};
  }
  const PixelView view = decoder_.decode(part, reduction);
  view_resizer_.resize(
      view, {crop.width, width_, 0, width_, mirrored, reduction, crop.x, part.x, part.width},
      {crop.height, height_, 0, height_, false, reduction, crop.y, part.y, part.height},
      normalisation, result);
}

int ImagePreprocessor::reduction_for(const PixelWindow& crop) const {
  for (const int reduction : {8, 4, 2}) {
    if (crop.width >= reduction * width_ && crop.height >= reduction * height_) return reduction;
  }
  return 1;
}

// Evaluation never uses a reduction, because its results must be comparable with published ones.
void ImagePreprocessor::prepare_evaluation(const LabelledImage& image, std::int64_t position,
                                           float* result) {
  const ImageSize size = decoder_.open(image.encoded);
  const ImageSize full = evaluation_size(size);
  const PixelWindow centre = {(full.width - width_) / 2, (full.height - height_) / 2, width_,
                              height_};
  const PixelWindow whole = {0, 0, size.width, size.height};
  const ResizeMethod method = method_at(position);
  if (method == ResizeMethod::kBilinear) {
    const PixelView view = decoder_.decode(whole, 1);
    view_resizer_.resize(view,
                         {size.width, full.width, centre.x, width_, false, 1, 0, 0, size.width},
                         {size.height, full.height, centre.y, height_, false, 1, 0, 0, size.height},
                         kNormalised, result);
    return;
  }
  decoder_.decode(whole, decoded_);
  resizer_.resize(decoded_, method, full, centre, resized_);
  write_planes(kNormalised, result);
}

// Uses the type and order of tf_cnn_benchmarks, so that both round in the same way.
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

void ImagePreprocessor::write_planes(const ViewResizer::Normalisation& normalisation,
                                     float* result) const {
  const std::size_t pixels = static_cast<std::size_t>(width_) * height_;
  for (std::size_t channel = 0; channel < kRgb; ++channel) {
    const float* value = resized_.values.data() + channel;
    for (std::size_t i = 0; i < pixels; ++i, value += kRgb)
      *result++ = *value * normalisation.factor + normalisation.offset;
  }
}

}  // namespace convoy::data
