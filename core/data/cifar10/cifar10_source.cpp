#include "core/data/cifar10/cifar10_source.hpp"

#include "core/base/error.hpp"
#include "core/data/pipeline/counter_random.hpp"

namespace convoy::data {
namespace {

constexpr int kBorder = 4;  // pixels of padding on each side

const DataOptions& checked_cifar10(const DataOptions& options) {
  check_data_options(options);
  if (options.channels != 3 || options.height != kCifar10Size || options.width != kCifar10Size) {
    fail(ExitCode::kUsage,
         "the images of cifar10 are 3 x 32 x 32 and the model takes {} x {} x {}; use another "
         "model or synthetic data",
         options.channels, options.height, options.width);
  }
  return options;
}

// The position of the picture relative to the window.
struct View {
  int x = 0;  // pixels to the right, in -kBorder .. kBorder
  int y = 0;
  bool mirrored = false;
};

float normalised(int value) {
  return static_cast<float>(value) / 127.5f - 1.0f;
}

void show(const std::uint8_t* pixels, const View& view, float* image) {
  constexpr int kSize = kCifar10Size;
  const auto inside = [](int place) { return place >= 0 && place < kSize; };
  for (int channel = 0; channel < 3; ++channel, pixels += kSize * kSize) {
    for (int row = 0; row < kSize; ++row) {
      const int y = row + view.y;
      for (int column = 0; column < kSize; ++column) {
        const int x = (view.mirrored ? kSize - 1 - column : column) + view.x;
        *image++ = normalised(inside(x) && inside(y) ? pixels[y * kSize + x] : 0);
      }
    }
  }
}

}  // namespace

Cifar10Source::Cifar10Source(const DataOptions& options)
    : options_(checked_cifar10(options)),
      images_(read_cifar10(options.data_dir, options.subset, options.on_bad_record)),
      order_(images_.count(), options.seed, options.subset == Subset::kTrain) {
  pipeline_ = std::make_unique<BatchPipeline>(
      options_,
      [this](const SampleRequest& request, float* image) { return make_sample(request, image); });
}

const Batch& Cifar10Source::acquire(int replica, std::int64_t step) {
  return pipeline_->acquire(replica, step);
}

bool Cifar10Source::is_ready(int replica, std::int64_t step) const {
  return pipeline_->is_ready(replica, step);
}

void Cifar10Source::release(int replica, std::int64_t step) {
  pipeline_->release(replica, step);
}

SourceStatistics Cifar10Source::statistics() const {
  SourceStatistics statistics = pipeline_->statistics();
  statistics.bad_records += images_.skipped;
  if (statistics.bad_record_example.empty()) statistics.bad_record_example = images_.skip_example;
  return statistics;
}

std::vector<std::string> Cifar10Source::notices() const {
  if (images_.odd_files.empty()) return {};
  return {fmt::format(
      "files of CIFAR-10 have {} images each, and in {} {}: part of the data is missing, or it is "
      "other data",
      kCifar10FileImages, options_.data_dir, images_.odd_files)};
}

SampleResult Cifar10Source::make_sample(const SampleRequest& request, float* image) const {
  const std::int64_t sample = options_.sample_at(request.step, request.position);
  if (!options_.counts(sample, order_.records())) return left_out_sample(options_, image);
  const std::int64_t epoch = sample / order_.records();
  const std::int64_t place = sample % order_.records();
  const bool training = options_.subset == Subset::kTrain;
  const bool repeats = options_.repeat_one_record && training;
  const std::int64_t number = repeats ? 0 : order_.record_at(epoch, place);
  View view;
  if (options_.distortions && training) {
    CounterRandom random(options_.seed, RandomPurpose::kAugmentation,
                         static_cast<std::uint32_t>(place), static_cast<std::uint64_t>(epoch));
    view.x = static_cast<int>(random.below(2 * kBorder + 1)) - kBorder;
    view.y = static_cast<int>(random.below(2 * kBorder + 1)) - kBorder;
    view.mirrored = random.uniform() < 0.5;
  }
  show(images_.image(number), view, image);
  SampleResult result;
  result.label = images_.labels[static_cast<std::size_t>(number)];
  return result;
}

}  // namespace convoy::data
