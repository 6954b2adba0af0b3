#include "core/data/tfrecord/tfrecord_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/data/augment/image_preprocessor.hpp"
#include "tests/data/data_test_support.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::data {
namespace {

using ::testing::ElementsAre;
using testing::encode_picture;
using ::testing::HasSubstr;
using testing::make_picture;
using testing::read_file;
using testing::TemporaryFolder;
using testing::write_file;
using testing::write_records;

constexpr int kRecords = 21;  // labels 1 to 21, in this order

class TfRecordSourceTest : public ::testing::Test {
 protected:
  TfRecordSourceTest() {
    std::vector<std::string> records;
    records.reserve(kRecords);
    for (int i = 0; i < kRecords; ++i) records.push_back(make_record(i));
    for (const std::string split : {"train", "validation"}) {
      for (std::size_t file = 0; file < 3; ++file) {
        const auto first = records.begin() + static_cast<std::ptrdiff_t>(file * 7);
        write_records(file_path(split, file), {first, first + 7});
      }
    }
    options_.data_dir = folder_.path().string();
    options_.height = options_.width = 16;
    options_.batch = 4;
  }

  static std::string make_record(int index) {
    LabelledImage image;
    image.encoded = encode_picture(make_picture(40 + index, 32, std::uint32_t(index)));
    image.label = index + 1;
    return serialise_example(image);
  }

  std::filesystem::path file_path(const std::string& split, std::size_t file) const {
    return folder_.path() / fmt::format("{}-{:05}-of-00003", split, file);
  }

  // Damages the payload of a record of the second training file (record 7 and on).
  void damage(std::initializer_list<int> records) {
    std::string bytes = read_file(file_path("train", 1));
    std::size_t offset = 0;
    for (int i = 0; i < 7; ++i) {
      if (std::count(records.begin(), records.end(), i + 7) > 0) bytes[offset + 20] ^= 1;
      offset += 16 + make_record(i + 7).size();
    }
    ASSERT_EQ(offset, bytes.size());
    write_file(file_path("train", 1), bytes);
  }

  struct Samples {
    std::vector<std::int32_t> labels;
    std::vector<float> images;
    SourceStatistics statistics;
  };

  // All samples of some steps, in global order.
  Samples collect(const DataOptions& options, int steps) {
    TfRecordSource source(options);
    Samples samples;
    for (int step = 0; step < steps; ++step) {
      for (int replica = 0; replica < options.replicas; ++replica) {
        const Batch& batch = source.acquire(replica, step);
        samples.labels.insert(samples.labels.end(), batch.labels, batch.labels + batch.count);
        samples.images.insert(samples.images.end(), batch.images,
                              batch.images + batch.count * options.image_elements());
        source.release(replica, step);
      }
    }
    samples.statistics = source.statistics();
    return samples;
  }

  TemporaryFolder folder_;
  DataOptions options_;
};

TEST_F(TfRecordSourceTest, SamplesDependOnNeitherReplicasNorThreads) {
  options_.distortions = true;
  options_.resize_method = ResizeMethod::kRoundRobin;
  options_.batch = 4;
  const Samples expected = collect(options_, 13);  // more than two epochs
  for (const int replicas : {1, 2, 4}) {
    for (const int threads : {1, 3}) {
      options_.replicas = replicas;
      options_.batch = 4 / replicas;
      options_.threads = threads;
      options_.prefetch_depth = threads;
      const Samples samples = collect(options_, 13);
      EXPECT_EQ(samples.labels, expected.labels) << replicas << " replicas, " << threads;
      EXPECT_TRUE(samples.images == expected.images) << replicas << " replicas, " << threads;
    }
  }
}

TEST_F(TfRecordSourceTest, TrainingSeesEveryRecordOncePerEpochInChangingOrder) {
  options_.batch = kRecords;
  const Samples samples = collect(options_, 3);
  std::vector<std::vector<std::int32_t>> epochs;
  for (int epoch = 0; epoch < 3; ++epoch) {
    const auto first = samples.labels.begin() + epoch * kRecords;
    epochs.emplace_back(first, first + kRecords);
    std::vector<std::int32_t> sorted = epochs.back();
    std::sort(sorted.begin(), sorted.end());
    for (int i = 0; i < kRecords; ++i) ASSERT_EQ(sorted[std::size_t(i)], i + 1);
  }
  EXPECT_NE(epochs[0], epochs[1]);
  EXPECT_NE(epochs[1], epochs[2]);
}

TEST_F(TfRecordSourceTest, ARecordLooksDifferentInEveryEpoch) {
  options_.batch = kRecords;
  const Samples samples = collect(options_, 2);
  std::map<std::int32_t, std::vector<float>> first_epoch;
  const auto image = [&](int sample) {
    const auto first = samples.images.begin() + sample * options_.image_elements();
    return std::vector<float>(first, first + options_.image_elements());
  };
  for (int i = 0; i < kRecords; ++i) first_epoch[samples.labels[std::size_t(i)]] = image(i);
  for (int i = kRecords; i < 2 * kRecords; ++i) {
    EXPECT_NE(image(i), first_epoch[samples.labels[std::size_t(i)]]);
  }
}

TEST_F(TfRecordSourceTest, ValidationGoesThroughTheFilesInOrder) {
  options_.subset = Subset::kValidation;
  options_.batch = 5;
  const Samples samples = collect(options_, 5);
  for (int i = 0; i < 25; ++i) {
    EXPECT_EQ(samples.labels[std::size_t(i)], i % kRecords + 1) << "sample " << i;
  }
  ImagePreprocessor preprocessor(options_);
  std::vector<float> expected(std::size_t(options_.image_elements()));
  preprocessor.prepare_evaluation(parse_example(make_record(3), 1001), 3, expected.data());
  const auto actual = samples.images.begin() + 3 * options_.image_elements();
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), actual));
}

TEST_F(TfRecordSourceTest, ReplicasShareTheValidationSplitWithoutOverlap) {
  options_.subset = Subset::kValidation;
  options_.batch = 12;
  const Samples expected = collect(options_, 4);
  for (const int replicas : {2, 3, 4}) {
    options_.replicas = replicas;
    options_.batch = 12 / replicas;
    const Samples samples = collect(options_, 4);
    EXPECT_EQ(samples.labels, expected.labels) << replicas << " replicas";
    EXPECT_TRUE(samples.images == expected.images) << replicas << " replicas";
  }
}

TEST_F(TfRecordSourceTest, CachedRecordsOutliveTheirFiles) {
  const Samples expected = collect(options_, 12);
  options_.cache_records = true;
  options_.threads = 3;
  const Samples cached = collect(options_, 12);
  EXPECT_EQ(cached.labels, expected.labels);
  EXPECT_TRUE(cached.images == expected.images);

  TfRecordSource source(options_);
  for (int step = 0; step < 2 * kRecords; ++step) {  // 4 samples each: all records are read
    EXPECT_EQ(source.acquire(0, step).count, 4);
    source.release(0, step);
    if (step == kRecords) std::filesystem::remove_all(folder_.path());
  }
}

TEST_F(TfRecordSourceTest, OneRecordCanStandForAll) {
  options_.repeat_one_record = true;
  const Samples samples = collect(options_, 2);
  EXPECT_THAT(samples.labels, ::testing::Each(1));
  const auto image = [&](int i) { return samples.images.begin() + i * options_.image_elements(); };
  EXPECT_FALSE(std::equal(image(0), image(1), image(1))) << "crops still differ";
  options_.subset = Subset::kValidation;
  EXPECT_THAT(collect(options_, 1).labels, ElementsAre(1, 2, 3, 4));
}

TEST_F(TfRecordSourceTest, ResumesAtAnyStep) {
  const Samples all = collect(options_, 8);
  options_.first_step = 6;
  TfRecordSource source(options_);
  for (int step = 6; step < 8; ++step) {
    const Batch& batch = source.acquire(0, step);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(batch.labels[i], all.labels[std::size_t(step * 4 + i)]);
  }
}

TEST_F(TfRecordSourceTest, AnEpochHasAsManySamplesAsThereAreRecords) {
  EXPECT_EQ(TfRecordSource(options_).samples_per_epoch(), kRecords);
}

TEST_F(TfRecordSourceTest, ABadRecordEndsTheRunNamingItsPlace) {
  damage({7});
  options_.batch = kRecords;
  const std::string error = thrown_text([&] { collect(options_, 1); });
  EXPECT_THAT(error, HasSubstr(file_path("train", 1).string() + ", byte 0: wrong checksum"));
  EXPECT_THAT(error, HasSubstr("--on_bad_record=skip"));
}

TEST_F(TfRecordSourceTest, SkippingReplacesBadRecordsTheSameForAnyThreads) {
  options_.batch = kRecords;
  options_.on_bad_record = BadRecordPolicy::kSkip;
  const Samples good = collect(options_, 2);
  damage({8, 11, 12});
  const Samples single = collect(options_, 2);
  options_.threads = 3;
  const Samples several = collect(options_, 2);
  EXPECT_EQ(single.labels, several.labels);
  EXPECT_TRUE(single.images == several.images);
  EXPECT_EQ(single.statistics.bad_records, 2 * 3);
  EXPECT_EQ(several.statistics.bad_records, 2 * 3);
  EXPECT_THAT(single.statistics.bad_record_example, HasSubstr("wrong checksum"));
  for (std::size_t i = 0; i < good.labels.size(); ++i) {
    const std::int32_t label = good.labels[i];
    const bool bad = label == 9 || label == 12 || label == 13;
    if (bad) {
      EXPECT_TRUE(single.labels[i] != 9 && single.labels[i] != 12 && single.labels[i] != 13);
    } else {
      EXPECT_EQ(single.labels[i], label) << "sample " << i;
    }
  }
}

TEST_F(TfRecordSourceTest, EvaluationLeavesBadRecordsOutAndCountsNoneTwice) {
  options_.subset = Subset::kValidation;
  options_.on_bad_record = BadRecordPolicy::kSkip;
  std::string bytes = read_file(file_path("validation", 1));
  bytes[20] ^= 1;  // in the payload of record 7
  write_file(file_path("validation", 1), bytes);
  options_.batch = kRecords;
  TfRecordSource source(options_);
  const Batch& batch = source.acquire(0, 0);
  EXPECT_EQ(batch.left_out, 1);
  for (int i = 0; i < kRecords; ++i) EXPECT_EQ(batch.labels[i], i == 7 ? kNoLabel : i + 1);
  for (std::int64_t i = 0; i < options_.image_elements(); ++i)
    ASSERT_EQ(batch.images[7 * options_.image_elements() + i], 0.0f);
  EXPECT_EQ(source.statistics().bad_records, 1);
  source.release(0, 0);
  const Batch& next = source.acquire(0, 1);
  EXPECT_EQ(next.left_out, 1) << "of this batch alone";
  source.release(0, 1);
}

TEST_F(TfRecordSourceTest, EvaluationLeavesOutWhatFillsUpTheLastBatch) {
  options_.subset = Subset::kValidation;
  options_.counted_epochs = 1;
  options_.batch = kRecords - 3;
  TfRecordSource source(options_);
  EXPECT_EQ(source.acquire(0, 0).left_out, 0);
  source.release(0, 0);
  const Batch& last = source.acquire(0, 1);
  EXPECT_EQ(last.left_out, options_.batch - 3);
  for (int i = 0; i < options_.batch; ++i)
    EXPECT_EQ(last.labels[i], i < 3 ? options_.batch + i + 1 : kNoLabel);
  EXPECT_EQ(source.statistics().bad_records, 0) << "nothing is wrong with them";
  source.release(0, 1);
}

TEST_F(TfRecordSourceTest, TellsWhichOfItsFilesAreMissing) {
  EXPECT_TRUE(TfRecordSource(options_).notices().empty());
  std::filesystem::remove(file_path("train", 0));
  const std::vector<std::string> notices = TfRecordSource(options_).notices();
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_THAT(notices[0], HasSubstr("2 of the 3 files train-*-of-00003"));
  EXPECT_THAT(notices[0], HasSubstr("train-00000-of-00003 is missing;"));
  std::filesystem::remove(file_path("train", 2));
  EXPECT_THAT(TfRecordSource(options_).notices()[0], HasSubstr("is missing, and others"));
}

TEST_F(TfRecordSourceTest, TellsWhichOfItsFilesHaveNoRecord) {
  write_file(file_path("train", 1), "");
  const std::vector<std::string> notices = TfRecordSource(options_).notices();
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_EQ(notices[0], "there is no record in 1 of the 3 files, such as " +
                            file_path("train", 1).string() + ": were they copied to their end?");
}

TEST(MissingFiles, NamesThatCountNothingAreNotJudged) {
  EXPECT_EQ(missing_files({"/data/train-of-files", "/data/train-a-of-b", "/data/x-of-3"}), "");
  EXPECT_EQ(missing_files({"/data/train-00000-of-00001"}), "");
}

TEST_F(TfRecordSourceTest, SkippingCoversEveryKindOfBadRecord) {
  LabelledImage png = {"\x89PNG\r\n\x1a\n", 2, {}};
  LabelledImage unknown = {encode_picture(make_picture(20, 20, 1)), options_.classes, {}};
  write_records(file_path("train", 1),
                {serialise_example(png), serialise_example(unknown), "not an example", ""});
  options_.batch = kRecords - 7 + 4;
  EXPECT_THAT(thrown_text([&] { collect(options_, 1); }),
              HasSubstr(file_path("train", 1).string()));
  options_.on_bad_record = BadRecordPolicy::kSkip;
  EXPECT_EQ(collect(options_, 1).statistics.bad_records, 4);
}

TEST_F(TfRecordSourceTest, ReadsRecordsOfTheBackground) {
  const LabelledImage background = {encode_picture(make_picture(20, 20, 1)), 0, {}};
  for (std::size_t file = 0; file < 3; ++file)
    write_records(file_path("train", file), {serialise_example(background)});
  EXPECT_THAT(collect(options_, 1).labels, ::testing::Each(0));
}

TEST_F(TfRecordSourceTest, AFileIsUsedUpToDamagedFraming) {
  std::string bytes = read_file(file_path("train", 2));
  bytes[16 + make_record(14).size()] ^= 1;  // the length of its second record
  write_file(file_path("train", 2), bytes);
  EXPECT_THAT(thrown_text([&] { TfRecordSource source(options_); }),
              HasSubstr("wrong checksum of the record length"));
  options_.on_bad_record = BadRecordPolicy::kSkip;
  TfRecordSource source(options_);
  EXPECT_EQ(source.samples_per_epoch(), 15);
  EXPECT_EQ(source.statistics().bad_records, 1);
  EXPECT_THAT(source.statistics().bad_record_example, HasSubstr(file_path("train", 2).string()));
}

TEST_F(TfRecordSourceTest, NothingUsableIsAnErrorEvenWhenSkipping) {
  for (std::size_t file = 0; file < 3; ++file) write_records(file_path("train", file), {"", ""});
  options_.on_bad_record = BadRecordPolicy::kSkip;
  EXPECT_THAT(thrown_text([&] { collect(options_, 1); }), HasSubstr("none of the 6 records"));
  for (std::size_t file = 0; file < 3; ++file) write_file(file_path("train", file), "");
  EXPECT_THAT(thrown_text([&] { TfRecordSource source(options_); }), HasSubstr("no usable record"));
}

TEST_F(TfRecordSourceTest, ExplainsFoldersWithoutData) {
  const auto open = [this] { TfRecordSource source(options_); };
  options_.data_dir = (folder_.path() / "missing").string();
  EXPECT_THAT(thrown_text(open), HasSubstr("cannot list the data folder " + options_.data_dir));
  EXPECT_THAT(thrown_text(open), HasSubstr("train-*-of-*"));
  std::filesystem::create_directory(options_.data_dir);
  EXPECT_THAT(thrown_text(open), HasSubstr("it is empty"));
  write_file(folder_.path() / "missing" / "notes.txt", "x");
  options_.subset = Subset::kValidation;
  EXPECT_THAT(thrown_text(open), HasSubstr("no files validation-*-of-*"));
  EXPECT_THAT(thrown_text(open), HasSubstr("'notes.txt'"));
}

TEST_F(TfRecordSourceTest, RefusesModelsThatAreNotRgb) {
  options_.channels = 1;
  EXPECT_THAT(thrown_text([&] { TfRecordSource source(options_); }), HasSubstr("3 channels"));
}

TEST_F(TfRecordSourceTest, MoreSamplesPerStepThanRecordsSpanEpochs) {
  options_.batch = 2 * kRecords;
  const Samples samples = collect(options_, 1);
  std::map<std::int32_t, int> counts;
  for (const std::int32_t label : samples.labels) ++counts[label];
  ASSERT_EQ(counts.size(), std::size_t(kRecords));
  for (const auto& [label, count] : counts) EXPECT_EQ(count, 2) << "label " << label;
}

}  // namespace
}  // namespace convoy::data
