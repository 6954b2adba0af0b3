#pragma once

#include "core/data/pipeline/fixed_image_source.hpp"
#include "core/data/pipeline/truncated_normal.hpp"

namespace convoy::data {

// Data without files, for measuring: images from a normal distribution (mean 127, deviation 60, cut
// at two deviations; not normalised), drawn once, and labels uniform in 0 .. classes - 2, drawn
// anew every step, so that the loss does not fall.
class SyntheticSource : public FixedImageSource {
 public:
  explicit SyntheticSource(const DataOptions& options);

 private:
  void make_image(std::uint32_t sample, float* image) const override;
  std::int32_t make_label(std::uint32_t sample, std::int64_t step) const override;

  TruncatedNormal pixels_;
};

}  // namespace convoy::data
