#include "plugins/devices/cuda/libraries/algorithm_choice.hpp"

#include <gtest/gtest.h>

#include <map>

#include "plugins/devices/cuda/libraries/matrix_product.hpp"
#include "tests/scratch_folder.hpp"

namespace convoy::cuda {
namespace {

using Candidates = std::vector<std::int64_t>;

// A library whose algorithm i takes seconds_[i]; those without an entry do not run, those in
// refused_ cannot even be prepared.
class AlgorithmChoice : public testing::Test {
 protected:
  std::optional<std::int64_t> choose(const Candidates& candidates, std::size_t most = 8) {
    return choose(candidates, most, cache_);
  }
  std::optional<std::int64_t> choose(const Candidates& candidates, std::size_t most,
                                     AlgorithmCache& cache) {
    measured_.clear();
    AlgorithmTrials trials;
    trials.candidates = candidates;
    trials.most = most;
    trials.prepare = [this](std::int64_t candidate) {
      if (refused_.contains(candidate)) return false;
      prepared_ = candidate;
      return true;
    };
    trials.seconds = [this]() -> std::optional<double> {
      measured_.push_back(prepared_);
      const auto found = seconds_.find(prepared_);
      if (found == seconds_.end()) return std::nullopt;
      return found->second;
    };
    return choose_algorithm(trials, "key", cache);
  }

  AlgorithmCache cache_{std::filesystem::path(scratch_folder("choices")) / "algorithms.txt"};
  std::map<std::int64_t, double> seconds_ = {{0, 3.0}, {1, 1.0}, {2, 2.0}, {3, 0.5}};
  std::map<std::int64_t, bool> refused_;
  std::int64_t prepared_ = -1;
  Candidates measured_;
};

TEST_F(AlgorithmChoice, TakesTheFastestAndRemembersIt) {
  EXPECT_EQ(choose({0, 1, 2}), 1);
  EXPECT_EQ(prepared_, 1) << "not the one that was measured last";
  EXPECT_EQ(measured_, (Candidates{0, 1, 2}));
  EXPECT_EQ(choose({0, 1, 2}), 1);
  EXPECT_EQ(measured_, Candidates()) << "known";
}

TEST_F(AlgorithmChoice, TakesTheFirstOfEquals) {
  seconds_ = {{0, 1.0}, {1, 1.0}};
  EXPECT_EQ(choose({0, 1}), 0);
}

TEST_F(AlgorithmChoice, MeasuresSoManyThatRun) {
  refused_[0] = true;
  seconds_.erase(1);
  EXPECT_EQ(choose({0, 1, 2, 3}, 1), 2);
  EXPECT_EQ(measured_, (Candidates{1, 2})) << "the third would have been faster";
}

TEST_F(AlgorithmChoice, IsTheBestGuessThatRunsWhereNoLaterRunWouldFindAnother) {
  for (const char* const file : {"", "/proc/no/such/folder/file"}) {
    AlgorithmCache nowhere{std::filesystem::path(file)};
    refused_ = {{0, true}};
    EXPECT_EQ(choose({0, 2, 1, 3}, 8, nowhere), 2) << "not the fastest";
    EXPECT_EQ(measured_, Candidates{2});
    refused_.clear();
    EXPECT_EQ(choose({0, 2, 1, 3}, 8, nowhere), 2) << "what this process has begun with";
  }
}

TEST_F(AlgorithmChoice, MeasuresAnewWhenTheKnownOneIsGone) {
  cache_.add("key", 7);
  EXPECT_EQ(choose({0, 1}), 1);
  cache_.add("key", 3);
  refused_[3] = true;
  EXPECT_EQ(choose({0, 1, 2, 3}), 1);
  EXPECT_EQ(cache_.find("key"), 1);
}

TEST_F(AlgorithmChoice, RemembersNothingWhenNoneRuns) {
  seconds_.clear();
  EXPECT_EQ(choose({0, 1}), std::nullopt);
  EXPECT_EQ(choose({}), std::nullopt);
  EXPECT_EQ(cache_.find("key"), std::nullopt);
}

TEST(ProductKey, TellsApartWhatNeedsAnotherAlgorithm) {
  ProductShape shape{};
  shape.m = 64;
  shape.n = 32;
  shape.k = 128;
  std::vector<ProductShape> others(9, shape);
  others[1].m = 65;
  others[2].n = 33;
  others[3].k = 129;
  others[4].transposes_a = true;
  others[5].factors = Type::kHalf;
  others[6].result = Type::kBfloat;
  others[7].relu = true;
  others[8].aligned = true;
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < others.size(); ++i) {
    const auto [at, is_new] = seen.emplace(key_of(others[i]), i);
    EXPECT_TRUE(is_new) << i << " has the key of " << at->second << ": " << at->first;
  }
  ProductShape rounded = shape;
  rounded.tf32 = true;
  EXPECT_NE(key_of(rounded), key_of(shape));
  ProductShape biased = shape;
  biased.has_bias = true;
  EXPECT_NE(key_of(biased), key_of(shape));
  rounded.factors = biased.factors = Type::kHalf;
  biased.has_bias = false;
  EXPECT_EQ(key_of(rounded), key_of(biased)) << "TF32 is about factors of f32";
}

}  // namespace
}  // namespace convoy::cuda
