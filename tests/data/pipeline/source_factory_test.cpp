#include "core/data/pipeline/source_factory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/base/numbers/hash_fill.hpp"
#include "tests/data/data_test_support.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::data {
namespace {

using ::testing::HasSubstr;

DataOptions small_options() {
  DataOptions options;
  options.batch = 4;
  options.height = 5;
  options.width = 7;
  return options;
}

struct Samples {
  std::vector<float> images;
  std::vector<std::int32_t> labels;
};

Samples collect(BatchSource& source, const DataOptions& options, std::int64_t step) {
  Samples samples;
  for (int replica = 0; replica < options.replicas; ++replica) {
    const Batch& batch = source.acquire(replica, step);
    samples.images.insert(samples.images.end(), batch.images,
                          batch.images + batch.count * options.image_elements());
    samples.labels.insert(samples.labels.end(), batch.labels, batch.labels + batch.count);
    source.release(replica, step);
  }
  return samples;
}

TEST(SyntheticSource, ImagesStayAndLabelsChange) {
  DataOptions options = small_options();
  options.batch = 200;
  const auto source = make_source(options);
  const Samples first = collect(*source, options, 0);
  const Samples second = collect(*source, options, 1);
  EXPECT_TRUE(first.images == second.images);
  EXPECT_NE(first.labels, second.labels);
  EXPECT_GE(*std::min_element(first.images.begin(), first.images.end()), 7.0f);
  EXPECT_LE(*std::max_element(first.images.begin(), first.images.end()), 247.0f);
  EXPECT_EQ(std::set<float>(first.images.begin(), first.images.begin() + 1000).size(), 1000u);
  EXPECT_EQ(source->statistics().images, 400);
}

TEST(FixedSources, PutImagesWhereTheyAreTold) {
  DataOptions options = small_options();
  std::shared_ptr<float[]> memory;
  options.image_memory = [&](std::int64_t elements) {
    EXPECT_EQ(elements, options.image_elements() * options.batch);
    EXPECT_EQ(memory, nullptr) << "there is one batch of images";
    memory.reset(new float[static_cast<std::size_t>(elements)]());
    return memory;
  };
  const auto source = make_source(options);
  const Batch& first = source->acquire(0, 0);
  EXPECT_EQ(first.images, memory.get());
  EXPECT_EQ(source->acquire(0, 1).images, memory.get());
}

TEST(SyntheticSource, LabelsAreZeroToClassesMinusTwo) {
  DataOptions options = small_options();
  options.classes = 11;
  options.batch = 1000;
  const auto source = make_source(options);
  std::set<std::int32_t> seen;
  for (const std::int32_t label : collect(*source, options, 0).labels) seen.insert(label);
  EXPECT_EQ(seen, (std::set<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(FixedSources, SamplesDoNotDependOnTheNumberOfReplicas) {
  for (const std::string name : {"", "hash"}) {
    Samples expected;
    for (const int replicas : {1, 2, 4}) {
      DataOptions options = small_options();
      options.data_name = name;
      options.replicas = replicas;
      options.batch = 8 / replicas;
      const auto source = make_source(options);
      const Samples samples = collect(*source, options, 3);
      if (replicas == 1) expected = samples;
      EXPECT_TRUE(samples.images == expected.images) << name << ", " << replicas << " replicas";
      EXPECT_EQ(samples.labels, expected.labels) << name << ", " << replicas << " replicas";
    }
  }
}

TEST(FixedSources, SeveralBatchesMayBeHeld) {
  const DataOptions options = small_options();
  const auto source = make_source(options);
  const Batch& first = source->acquire(0, 0);
  const std::vector<std::int32_t> labels(first.labels, first.labels + 4);
  for (int step = 1; step < 10; ++step) source->acquire(0, step);
  EXPECT_EQ(std::vector<std::int32_t>(first.labels, first.labels + 4), labels);
}

TEST(FixedSources, AnEpochIsAsLongAsThePublishedOne) {
  DataOptions options = small_options();
  EXPECT_EQ(make_source(options)->samples_per_epoch(), 1281167);
  options.subset = Subset::kValidation;
  EXPECT_EQ(make_source(options)->samples_per_epoch(), 50000);
  options.model_dataset = "cifar10";
  EXPECT_EQ(make_source(options)->samples_per_epoch(), 10000);
}

TEST(HashSource, FollowsThePublishedRule) {
  DataOptions options = small_options();
  options.data_name = "hash";
  options.seed = 7;
  const auto source = make_source(options);
  const Samples samples = collect(*source, options, 0);
  // The vector (5, 1000000, 7) of the rule, times the scale of images.
  EXPECT_EQ(samples.images[5], static_cast<float>(2 * -0.33895143668632954));
  const std::size_t last = samples.images.size() - 1;
  EXPECT_EQ(samples.images[last], hash_fill(1000000, 7, std::uint32_t(last), 2, 0));
  EXPECT_THAT(samples.labels, ::testing::ElementsAre(78, 115, 152, 189));  // 37 n + 77 + 1
  EXPECT_EQ(collect(*source, options, 1).labels, samples.labels);
}

// On many replicas a sample's number does not fit 31 bits.
TEST(HashSource, NumbersTheSamplesOfManyReplicas) {
  DataOptions options;
  options.data_name = "hash";
  options.channels = options.height = options.width = 1;
  options.replicas = 16'000;
  options.batch = 200'000;
  const auto source = make_source(options);
  const std::int64_t first = 15'999 * std::int64_t{200'000};
  const std::int64_t number = 37 * first + 11 * std::int64_t{options.seed} + 1;
  EXPECT_EQ(source->acquire(15'999, 0).labels[0], number % options.classes);
}

TEST(SourceFactory, RefusesWhatItCannotServe) {
  DataOptions options = small_options();
  options.data_dir = "/data/coco";
  EXPECT_THAT(thrown_text([&] { make_source(options); }), HasSubstr("guessed from data_dir"));
  options.data_name = "hash";
  EXPECT_THAT(thrown_text([&] { make_source(options); }), HasSubstr("leave out data_dir"));
  options.data_name = "imagenet";
  options.data_dir = "/nowhere/cifar10";
  EXPECT_THAT(thrown_text([&] { make_source(options); }), HasSubstr("cannot list"));
}

TEST(DataOptions, CountsMustBePositive) {
  DataOptions options = small_options();
  options.batch = 0;
  EXPECT_THAT(thrown_text([&] { make_source(options); }), HasSubstr("batch size is 0"));
  options = small_options();
  options.threads = -1;
  EXPECT_THAT(thrown_text([&] { make_source(options); }), HasSubstr("input threads is -1"));
}

TEST(DataOptions, NamesAreParsed) {
  EXPECT_EQ(parse_resize_method("round_robin"), ResizeMethod::kRoundRobin);
  EXPECT_EQ(parse_resize_method("area"), ResizeMethod::kArea);
  EXPECT_THAT(thrown_text([] { parse_resize_method("crop"); }), HasSubstr("'crop'"));
  EXPECT_EQ(parse_bad_record_policy("skip"), BadRecordPolicy::kSkip);
  EXPECT_THAT(thrown_text([] { parse_bad_record_policy("count"); }), HasSubstr("fail or skip"));
}

}  // namespace
}  // namespace convoy::data
