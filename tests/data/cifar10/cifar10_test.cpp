#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>

#include "core/base/error.hpp"
#include "core/data/cifar10/cifar10_images.hpp"
#include "core/data/cifar10/cifar10_pickle.hpp"
#include "core/data/pipeline/source_factory.hpp"
#include "tests/data/cifar10/cifar10_test_files.hpp"
#include "tests/data/data_test_support.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::data {
namespace {

using testing::cifar10_binary;
using testing::cifar10_pixel;
using testing::cifar10_pixels;
using testing::cifar10_python2_pickle;
using ::testing::HasSubstr;
using testing::TemporaryFolder;
using testing::write_file;

constexpr int kPerFile = 4;
constexpr int kTraining = 5 * kPerFile;
constexpr int kImage = 3072;

void expect_pixels(const Cifar10Images& images, int index, int image) {
  const std::string expected = cifar10_pixels(image);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), images.image(index),
                         [](char a, std::uint8_t b) { return std::uint8_t(a) == b; }))
      << "image " << index;
}

TEST(Cifar10Pickle, ReadsWhatNumpyWrote) {
  for (const std::string name :
       {"numpy2_protocol_2.pickle", "numpy2_protocol_4_columns_first.pickle"}) {
    const auto path = std::filesystem::path(CONVOY_SOURCE_DIR "/tests/data/cifar10") / name;
    const Cifar10Batch batch = unpickle_cifar10(testing::read_file(path), path);
    EXPECT_THAT(batch.labels, ::testing::ElementsAre(4, 9, 0)) << name;
    EXPECT_TRUE(batch.pixels == cifar10_pixels(0) + cifar10_pixels(1) + cifar10_pixels(2)) << name;
  }
}

TEST(Cifar10Pickle, ReadsTheFormOfThePublishedFiles) {
  const Cifar10Batch batch = unpickle_cifar10(cifar10_python2_pickle({3, 7}, 5), "x");
  EXPECT_THAT(batch.labels, ::testing::ElementsAre(3, 7));
  EXPECT_TRUE(batch.pixels == cifar10_pixels(5) + cifar10_pixels(6));
}

TEST(Cifar10Pickle, ReadsPlainBytes) {
  using namespace std::string_literals;
  const std::string bytes = "\x80\x03}(X\x06\0\0\0labels](K\x02"s + "eC\x04" + "dataB" +
                            "\0\x0c\0\0"s + cifar10_pixels(1) + "u.";
  EXPECT_TRUE(unpickle_cifar10(bytes, "x").pixels == cifar10_pixels(1));
}

TEST(Cifar10Pickle, WhatDoesNotFitIsExplained) {
  const auto error = [](std::string bytes, const std::string& old, const std::string& changed) {
    const std::size_t at = bytes.find(old);
    EXPECT_NE(at, std::string::npos) << old;
    bytes.replace(at, old.size(), changed);
    return thrown_text([&] { unpickle_cifar10(bytes, "data_batch_1"); });
  };
  const std::string good = cifar10_python2_pickle({3, 7});
  using namespace std::string_literals;
  EXPECT_THAT(error(good, "labels", "lapels"), HasSubstr("data_batch_1: the pickled dictionary"));
  EXPECT_THAT(error(good, "U\x04" + "data"s, "U\x04" + "date"s), HasSubstr("no key 'data'"));
  EXPECT_THAT(error(good, "M\x02\0M"s, "M\x03\0M"s), HasSubstr("an array of 3 x 3072; 2 labels"));
  EXPECT_THAT(error(good, "u1", "f4"), HasSubstr("type 'f4'"));
  EXPECT_THAT(error(good, "K\x03K\x07"s, "K\x03N"s), HasSubstr("label 1 is not an integer"));
  EXPECT_THAT(error(good, "K\x03K\x07"s, "K\x03"s), HasSubstr("1 labels need 1 x 3072"));
  EXPECT_THAT(thrown_text([] { unpickle_cifar10("\x80\x02].", "x"); }),
              HasSubstr("not a pickled dictionary"));
}

class Cifar10Test : public ::testing::Test {
 protected:
  Cifar10Test() {
    testing::write_cifar10_binary(folder_.path(), kPerFile);
    options_.data_dir = folder_.path().string();
    options_.data_name = "cifar10";
    options_.height = options_.width = 32;
    options_.classes = 11;
    options_.batch = kTraining;
  }

  Cifar10Images read(Subset subset, BadRecordPolicy policy = BadRecordPolicy::kFail) const {
    return read_cifar10(folder_.path(), subset, policy);
  }

  struct Samples {
    std::vector<std::int32_t> labels;
    std::vector<float> images;
  };

  static Samples collect(const DataOptions& options, int steps) {
    const auto source = make_source(options);
    Samples samples;
    for (int step = 0; step < steps; ++step) {
      for (int replica = 0; replica < options.replicas; ++replica) {
        const Batch& batch = source->acquire(replica, step);
        samples.labels.insert(samples.labels.end(), batch.labels, batch.labels + batch.count);
        samples.images.insert(samples.images.end(), batch.images,
                              batch.images + batch.count * kImage);
        source->release(replica, step);
      }
    }
    return samples;
  }

  // Which file image a sample of an undistorted set is: its first value tells.
  static int image_of(const Samples& samples, int sample) {
    const float first = samples.images[std::size_t(sample) * kImage];
    for (int image = 0; image < kTraining + kPerFile + 1; ++image) {
      if (static_cast<float>(cifar10_pixel(image, 0)) / 127.5f - 1.0f == first) return image;
    }
    return -1;
  }

  TemporaryFolder folder_;
  DataOptions options_;
};

TEST_F(Cifar10Test, ReadsTheBinaryFormInTheOrderOfTheFiles) {
  const Cifar10Images images = read(Subset::kTrain);
  ASSERT_EQ(images.count(), kTraining);
  for (int i = 0; i < kTraining; ++i) {
    EXPECT_EQ(images.labels[std::size_t(i)], i % 10);
    expect_pixels(images, i, i);
  }
  EXPECT_EQ(read(Subset::kValidation).count(), kPerFile + 1);
}

TEST_F(Cifar10Test, ReadsThePythonFormFromTheFolderInsideTheArchive) {
  const auto inner = folder_.path() / "other" / "cifar-10-batches-py";
  std::filesystem::create_directories(inner);
  for (int i = 0; i < 5; ++i)
    write_file(inner / fmt::format("data_batch_{}", i + 1), cifar10_python2_pickle({i, 9 - i}, i));
  const Cifar10Images images =
      read_cifar10(folder_.path() / "other", Subset::kTrain, BadRecordPolicy::kFail);
  ASSERT_EQ(images.count(), 10);
  EXPECT_EQ(images.labels[3], 8);
  expect_pixels(images, 3, 2);
}

TEST_F(Cifar10Test, FilesWithAnotherNumberOfImagesThanThePublishedOnesAreNamed) {
  EXPECT_THAT(read(Subset::kTrain).odd_files,
              HasSubstr("data_batch_1.bin has 4, data_batch_2.bin has 4, "));
  const std::vector<std::string> notices = make_source(options_)->notices();
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_THAT(notices[0], HasSubstr("10000 images each, and in " + options_.data_dir));
  std::string whole;
  for (int i = 0; i < kCifar10FileImages; ++i) whole += std::string(1 + kImage, '\0');
  write_file(folder_.path() / "test_batch.bin", whole);
  options_.subset = Subset::kValidation;
  EXPECT_TRUE(make_source(options_)->notices().empty());
}

TEST_F(Cifar10Test, AMissingFileIsNamed) {
  std::filesystem::remove(folder_.path() / "data_batch_3.bin");
  EXPECT_THAT(thrown_text([&] { read(Subset::kTrain); }), HasSubstr("data_batch_3.bin"));
  std::filesystem::remove(folder_.path() / "data_batch_1.bin");
  EXPECT_THAT(thrown_text([&] { read(Subset::kTrain); }),
              HasSubstr("no file data_batch_1.bin (binary form)"));
}

TEST_F(Cifar10Test, AFileInThePlaceOfTheFolderIsCalledOne) {
  options_.data_dir = (folder_.path() / "data_batch_1.bin").string();
  EXPECT_THAT(thrown_text([&] { make_source(options_); }), HasSubstr("data_batch_1.bin is a file"));
}

TEST_F(Cifar10Test, APipeAmongTheFilesIsCalledOne) {
  const std::filesystem::path path = folder_.path() / "data_batch_3.bin";
  std::filesystem::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(thrown_text([&] { read(Subset::kTrain); }),
              HasSubstr("data_batch_3.bin: it is a pipe, a device or a socket"));
}

TEST_F(Cifar10Test, WrongLabelsAndTruncationFailOrAreSkipped) {
  std::string bytes = cifar10_binary({1, 10, 2, 3});
  bytes.pop_back();
  write_file(folder_.path() / "data_batch_2.bin", bytes);
  EXPECT_THAT(thrown_text([&] { read(Subset::kTrain); }),
              ::testing::AllOf(HasSubstr("label 10 is not in 0 .. 9"),
                               HasSubstr("data_batch_2.bin, byte 3073"),
                               HasSubstr("--on_bad_record=skip")));
  const Cifar10Images images = read(Subset::kTrain, BadRecordPolicy::kSkip);
  EXPECT_EQ(images.count(), kTraining - 2);
  EXPECT_EQ(images.skipped, 2);
  options_.on_bad_record = BadRecordPolicy::kSkip;
  const auto source = make_source(options_);
  EXPECT_EQ(source->samples_per_epoch(), kTraining - 2);
  EXPECT_EQ(source->statistics().bad_records, 2);
}

TEST_F(Cifar10Test, WithoutDistortionsImagesAreOnlyNormalised) {
  options_.subset = Subset::kValidation;
  options_.batch = 3;
  const Samples samples = collect(options_, 2);
  for (int sample = 0; sample < 6; ++sample) {
    const int image = kTraining + sample % (kPerFile + 1);  // starts again at the end
    EXPECT_EQ(samples.labels[std::size_t(sample)], image % 10);
    for (int p = 0; p < kImage; ++p) {
      ASSERT_EQ(samples.images[std::size_t(sample * kImage + p)],
                static_cast<float>(cifar10_pixel(image, p)) / 127.5f - 1.0f)
          << "sample " << sample << ", value " << p;
    }
  }
}

TEST_F(Cifar10Test, EvaluationLeavesOutWhatFillsUpTheLastBatch) {
  options_.subset = Subset::kValidation;
  options_.counted_epochs = 1;
  options_.batch = kPerFile + 3;
  const auto source = make_source(options_);
  const Batch& batch = source->acquire(0, 0);
  EXPECT_EQ(batch.left_out, 2);
  EXPECT_NE(batch.labels[kPerFile], kNoLabel);
  EXPECT_EQ(batch.labels[kPerFile + 1], kNoLabel);
  source->release(0, 0);
}

TEST_F(Cifar10Test, ReplicasShareTheValidationSplitWithoutOverlap) {
  options_.subset = Subset::kValidation;
  options_.batch = 4;
  const Samples expected = collect(options_, 3);
  options_.replicas = 2;
  options_.batch = 2;
  const Samples samples = collect(options_, 3);
  EXPECT_EQ(samples.labels, expected.labels);
  EXPECT_TRUE(samples.images == expected.images);
}

TEST_F(Cifar10Test, ResumesAtAnyStep) {
  options_.distortions = true;
  options_.batch = 8;
  const Samples all = collect(options_, 6);
  options_.first_step = 4;
  const auto source = make_source(options_);
  for (std::int64_t step = 4; step < 6; ++step) {
    const Batch& batch = source->acquire(0, step);
    EXPECT_TRUE(
        std::equal(batch.images, batch.images + 8 * kImage, all.images.begin() + step * 8 * kImage))
        << "step " << step;
  }
}

TEST_F(Cifar10Test, EveryEpochIsAnotherPermutation) {
  const Samples samples = collect(options_, 2);
  std::vector<int> first, second;
  for (int i = 0; i < kTraining; ++i) {
    first.push_back(image_of(samples, i));
    second.push_back(image_of(samples, kTraining + i));
    EXPECT_EQ(samples.labels[std::size_t(i)], first.back() % 10);
  }
  EXPECT_NE(first, second);
  EXPECT_EQ(std::set<int>(first.begin(), first.end()).size(), std::size_t(kTraining));
  EXPECT_EQ(std::set<int>(second.begin(), second.end()).size(), std::size_t(kTraining));
}

TEST_F(Cifar10Test, SamplesDependOnNeitherReplicasNorThreads) {
  options_.distortions = true;
  options_.batch = 12;
  const Samples expected = collect(options_, 4);
  for (const int replicas : {1, 2, 4}) {
    for (const int threads : {1, 3}) {
      options_.replicas = replicas;
      options_.batch = 12 / replicas;
      options_.threads = threads;
      const Samples samples = collect(options_, 4);
      EXPECT_EQ(samples.labels, expected.labels) << replicas << " replicas, " << threads;
      EXPECT_TRUE(samples.images == expected.images) << replicas << " replicas, " << threads;
    }
  }
}

// Tries all windows of the padded picture, mirrored and not.
bool is_window_of(const float* sample, int image, int& dx, int& dy, bool& mirrored) {
  const auto matches = [&](int p) {
    const int channel = p / 1024, row = p / 32 % 32, column = p % 32;
    const int x = (mirrored ? 31 - column : column) + dx, y = row + dy;
    const bool inside = x >= 0 && x < 32 && y >= 0 && y < 32;
    const int pixel = inside ? cifar10_pixel(image, channel * 1024 + y * 32 + x) : 0;
    return sample[p] == static_cast<float>(pixel) / 127.5f - 1.0f;
  };
  for (int choice = 0; choice < 9 * 9 * 2; ++choice) {
    dx = choice % 9 - 4;
    dy = choice / 9 % 9 - 4;
    mirrored = choice >= 81;
    int p = 0;
    while (p < kImage && matches(p)) ++p;
    if (p == kImage) return true;
  }
  return false;
}

TEST_F(Cifar10Test, DistortionsShowMirroredWindowsOfThePaddedPicture) {
  const Samples plain = collect(options_, 1);
  options_.distortions = true;
  const Samples samples = collect(options_, 1);
  EXPECT_EQ(samples.labels, plain.labels);
  std::set<int> columns, rows, mirrors;
  for (int i = 0; i < kTraining; ++i) {
    int dx = 0, dy = 0;
    bool mirrored = false;
    ASSERT_TRUE(
        is_window_of(samples.images.data() + i * kImage, image_of(plain, i), dx, dy, mirrored))
        << "sample " << i;
    columns.insert(dx);
    rows.insert(dy);
    mirrors.insert(mirrored ? 1 : 0);
  }
  EXPECT_GT(columns.size(), 4u);
  EXPECT_GT(rows.size(), 4u);
  EXPECT_EQ(mirrors.size(), 2u);
}

TEST_F(Cifar10Test, ModelsOfAnotherSizeAreRefused) {
  options_.height = options_.width = 28;
  EXPECT_THAT(thrown_text([&] { make_source(options_); }), HasSubstr("3 x 32 x 32"));
}

}  // namespace
}  // namespace convoy::data
