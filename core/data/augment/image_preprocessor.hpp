#pragma once

#include <cstdint>
#include <string_view>

#include "core/data/augment/color_distortions.hpp"
#include "core/data/augment/image.hpp"
#include "core/data/augment/plane_resizer.hpp"
#include "core/data/augment/resize.hpp"
#include "core/data/augment/view_resizer.hpp"
#include "core/data/jpeg/baseline_decoder.hpp"
#include "core/data/jpeg/jpeg_decoder.hpp"
#include "core/data/pipeline/counter_random.hpp"
#include "core/data/pipeline/data_options.hpp"
#include "core/data/tfrecord/example.hpp"

namespace convoy::data {

// Converts an encoded image to a model's input: `result` receives channels (red, green, blue) x
// height x width float32, x / 127.5 - 1. Reuse one preprocessor for many images, from one thread.
// Throws BadRecord if the image cannot be decoded.
class ImagePreprocessor {
 public:
  // Uses the size, resize_method and distortions of `options`.
  explicit ImagePreprocessor(const DataOptions& options);

  // Makes a random crop around the boxes, mirrors it half of the time, resizes it without keeping
  // its aspect, and changes the colours if the options ask for it. `position` in the global batch
  // selects the method of round_robin and the order of the colour changes.
  void prepare_training(const LabelledImage& image, std::int64_t position, CounterRandom& random,
                        float* result);

  // Resizes the image so that the input size covers the central 87 % (1 / 1.145), then crops the
  // centre.
  void prepare_evaluation(const LabelledImage& image, std::int64_t position, float* result);

 private:
  ImageSize evaluation_size(ImageSize size) const;
  ResizeMethod method_at(std::int64_t position) const;
  int reduction_for(const PixelWindow& crop) const;
  void prepare_bilinear(std::string_view file, ImageSize size, const PixelWindow& crop,
                        bool mirrored, const ViewResizer::Normalisation& normalisation,
                        float* result);
  void write_planes(const ViewResizer::Normalisation& normalisation, float* result) const;

  int width_;
  int height_;
  ResizeMethod resize_method_;
  bool distortions_;
  JpegDecoder decoder_;
  BaselineDecoder baseline_decoder_;
  PlaneResizer plane_resizer_;
  ViewResizer view_resizer_;
  ColorDistorter distorter_;
  Resizer resizer_;  // it and its pictures serve the methods other than bilinear
  ByteImage decoded_;
  FloatImage resized_;
};

}  // namespace convoy::data
