#include "core/data/pipeline/synthetic_source.hpp"

namespace convoy::data {

SyntheticSource::SyntheticSource(const DataOptions& options)
    : FixedImageSource(options), pixels_(127, 60) {}

void SyntheticSource::make_image(std::uint32_t sample, float* image) const {
  CounterRandom random(options().seed, RandomPurpose::kSyntheticImage, sample, 0);
  for (std::int64_t i = 0; i < options().image_elements(); ++i) image[i] = pixels_.sample(random);
}

std::int32_t SyntheticSource::make_label(std::uint32_t sample, std::int64_t step) const {
  CounterRandom random(options().seed, RandomPurpose::kSyntheticLabel, sample,
                       static_cast<std::uint64_t>(step));
  return static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(options().classes - 1)));
}

}  // namespace convoy::data
