#include "core/data/pipeline/fixed_image_source.hpp"

#include "core/base/error.hpp"
#include "core/base/numbers/hash_fill.hpp"
#include "core/data/pipeline/dataset.hpp"

namespace convoy::data {

FixedImageSource::FixedImageSource(const DataOptions& options)
    : options_(options), replicas_(static_cast<std::size_t>(options.replicas)) {}

const Batch& FixedImageSource::acquire(int replica, std::int64_t step) {
  Replica& state = replicas_.at(static_cast<std::size_t>(replica));
  const std::lock_guard lock(state.mutex);
  const auto first_sample = static_cast<std::uint32_t>(std::int64_t{replica} * options_.batch);
  const auto batch = static_cast<std::uint32_t>(options_.batch);
  if (!state.images) {
    state.images = options_.make_image_memory();
    for (std::uint32_t j = 0; j < batch; ++j) {
      make_image(first_sample + j, state.images.get() + j * options_.image_elements());
    }
  }
  const auto [held, inserted] = state.held.try_emplace(step);
  CONVOY_CHECK(inserted);
  Held& result = held->second;
  for (std::uint32_t j = 0; j < batch; ++j) {
    result.labels.push_back(make_label(first_sample + j, step));
  }
  result.batch = {state.images.get(), result.labels.data(), options_.batch};
  state.produced += options_.batch;
  return result.batch;
}

void FixedImageSource::release(int replica, std::int64_t step) {
  Replica& state = replicas_.at(static_cast<std::size_t>(replica));
  const std::lock_guard lock(state.mutex);
  CONVOY_CHECK_EQ(state.held.erase(step), std::size_t{1});
}

SourceStatistics FixedImageSource::statistics() const {
  SourceStatistics statistics;
  for (Replica& state : replicas_) {
    const std::lock_guard lock(state.mutex);
    statistics.images += state.produced;
  }
  return statistics;
}

// Returns the published number, so that learning-rate schedules in epochs mean the same without the
// data.
std::int64_t FixedImageSource::samples_per_epoch() const {
  return dataset_of(options_).examples(options_.subset);
}

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
