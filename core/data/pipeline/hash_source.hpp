#pragma once

#include "core/data/pipeline/fixed_image_source.hpp"

namespace convoy::data {

// One reproducible batch, the same every step: images from hash_fill with kHashImageKey (scale 2,
// offset 0) over the whole global batch, label of sample n (37 n + 11 seed + 1) mod classes. Any
// program can make the same bits, so losses can be compared between programs.
class HashSource : public FixedImageSource {
 public:
  explicit HashSource(const DataOptions& options) : FixedImageSource(options) {}

 private:
  void make_image(std::uint32_t sample, float* image) const override;
  std::int32_t make_label(std::uint32_t sample, std::int64_t step) const override;
};

}  // namespace convoy::data
