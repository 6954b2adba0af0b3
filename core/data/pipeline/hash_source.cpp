#include "core/data/pipeline/hash_source.hpp"

#include "core/base/hash_fill.hpp"

namespace convoy::data {

void HashSource::make_image(std::uint32_t sample, float* image) const {
  const auto elements = static_cast<std::uint32_t>(options().image_elements());
  for (std::uint32_t i = 0; i < elements; ++i) {
    image[i] = hash_fill(kHashImageKey, options().seed, sample * elements + i, 2, 0);
  }
}

std::int32_t HashSource::make_label(std::uint32_t sample, std::int64_t /*step*/) const {
  const std::int64_t number = std::int64_t{sample} * 37 + std::int64_t{options().seed} * 11 + 1;
  return static_cast<std::int32_t>(number % options().classes);
}

}  // namespace convoy::data
