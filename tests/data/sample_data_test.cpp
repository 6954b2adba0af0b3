#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <memory>

#include "core/data/pipeline/source_factory.hpp"

namespace convoy::data {
namespace {

constexpr int kSize = 28;
constexpr int kClasses = 8;
using Features = std::array<double, 3>;

// Mean colour without its brightness, and which way brightness changes.
Features describe(const float* image) {
  const auto at = [image](int channel, int y, int x) {
    return double(image[(channel * kSize + y) * kSize + x]) + 1;
  };
  std::array<double, 3> mean = {};
  double down = 0, right = 0;
  for (int y = 0; y + 1 < kSize; ++y) {
    for (int x = 0; x + 1 < kSize; ++x) {
      for (int channel = 0; channel < 3; ++channel) {
        mean[std::size_t(channel)] += at(channel, y, x);
        right += std::pow(at(channel, y, x + 1) - at(channel, y, x), 2);
        down += std::pow(at(channel, y + 1, x) - at(channel, y, x), 2);
      }
    }
  }
  const double sum = mean[0] + mean[1] + mean[2];
  return {4 * (mean[0] - mean[1]) / sum, 4 * (mean[2] - mean[1]) / sum,
          std::log((down + 1e-6) / (right + 1e-6))};
}

class SampleData : public ::testing::Test {
 protected:
  static std::unique_ptr<BatchSource> open(Subset subset, int batch, std::uint32_t seed) {
    DataOptions options;
    options.data_dir = CONVOY_SOURCE_DIR "/share/sample_data/imagenet";
    options.subset = subset;
    options.batch = batch;
    options.height = options.width = kSize;
    options.classes = kClasses + 1;
    options.seed = seed;
    options.threads = 2;
    return make_source(options);
  }

  // Mean features per class over one epoch of training crops.
  static std::map<std::int32_t, Features> learn() {
    const auto source = open(Subset::kTrain, 400, 1);
    std::map<std::int32_t, Features> means;
    std::map<std::int32_t, int> counts;
    for (int step = 0; step < 4; ++step) {
      const Batch& batch = source->acquire(0, step);
      for (std::int64_t i = 0; i < batch.count; ++i) {
        const Features features = describe(batch.images + i * 3 * kSize * kSize);
        for (std::size_t k = 0; k < 3; ++k) means[batch.labels[i]][k] += features[k];
        ++counts[batch.labels[i]];
      }
      source->release(0, step);
    }
    for (auto& [label, mean] : means) {
      for (double& value : mean) value /= counts[label];
    }
    return means;
  }

  static double accuracy(const std::map<std::int32_t, Features>& means, const Batch& batch) {
    int right = 0;
    for (std::int64_t i = 0; i < batch.count; ++i) {
      const Features features = describe(batch.images + i * 3 * kSize * kSize);
      double nearest = 1e30;
      std::int32_t guess = 0;
      for (const auto& [label, mean] : means) {
        double distance = 0;
        for (std::size_t k = 0; k < 3; ++k) distance += std::pow(features[k] - mean[k], 2);
        if (distance < nearest) {
          nearest = distance;
          guess = label;
        }
      }
      right += guess == batch.labels[i] ? 1 : 0;
    }
    return double(right) / double(batch.count);
  }
};

TEST_F(SampleData, HasTheDocumentedSizeAndEvenClasses) {
  EXPECT_EQ(open(Subset::kTrain, 1, 1)->samples_per_epoch(), 1600);
  const auto source = open(Subset::kValidation, 320, 1);
  EXPECT_EQ(source->samples_per_epoch(), 320);
  std::map<std::int32_t, int> counts;
  const Batch& batch = source->acquire(0, 0);
  for (int i = 0; i < 320; ++i) ++counts[batch.labels[i]];
  ASSERT_EQ(counts.size(), std::size_t(kClasses));
  for (const auto& [label, count] : counts) EXPECT_EQ(count, 40) << "label " << label;
}

// The nearest of the class means of three features is enough, so a small network can do it.
TEST_F(SampleData, ClassesShowInTrainingCropsAndUnseenPictures) {
  const std::map<std::int32_t, Features> means = learn();
  ASSERT_EQ(means.size(), std::size_t(kClasses));
  const auto validation = open(Subset::kValidation, 320, 1);
  EXPECT_GT(accuracy(means, validation->acquire(0, 0)), 0.97);
  const auto other_crops = open(Subset::kTrain, 800, 2);
  EXPECT_GT(accuracy(means, other_crops->acquire(0, 0)), 0.95);
}

}  // namespace
}  // namespace convoy::data
