#include "core/select/ranking.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::select {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

RankedCandidate predicted(const std::string& strategy, double seconds, std::uint64_t bucket = 0) {
  return {{strategy, {}, bucket}, CandidateState::kPredicted, seconds, "compute", ""};
}

RankedCandidate refused(const std::string& strategy, const std::string& reason) {
  return {{strategy, {}, 0}, CandidateState::kRefused, 0, "", reason};
}

std::vector<std::string> names(const std::vector<Candidate>& candidates) {
  std::vector<std::string> all;
  all.reserve(candidates.size());
  for (const Candidate& candidate : candidates) all.push_back(candidate.strategy);
  return all;
}

TEST(Ranking, PutsTheFastestFirstAndThoseWithoutPredictionLast) {
  const Ranking ranking = ranked({refused("x", "no"), predicted("slow", 2), predicted("fast", 1)});
  EXPECT_EQ(ranking.best().candidate.strategy, "fast");
  EXPECT_EQ(ranking.candidates.back().candidate.strategy, "x");
  EXPECT_DOUBLE_EQ(ranking.behind(ranking.candidates[1]), 1.0);
}

TEST(Ranking, OfEqualsTakesTheFirst) {
  EXPECT_EQ(ranked({predicted("a", 1), predicted("b", 1)}).best().candidate.strategy, "a");
}

TEST(Ranking, ShortlistsVariantsOnceEachWithinTheTolerance) {
  const Ranking ranking = ranked({predicted("a", 1.00, 4), predicted("a", 1.01, 8),
                                  predicted("b", 1.02), predicted("c", 1.04), refused("d", "no")});
  EXPECT_THAT(names(ranking.shortlist(0.03, 3)), ElementsAre("a", "b"));
  EXPECT_THAT(names(ranking.shortlist(0.05, 3)), ElementsAre("a", "b", "c"));
  EXPECT_THAT(names(ranking.shortlist(0.05, 1)), ElementsAre("a"));
}

TEST(Ranking, WithoutAnyPredictionSaysWhyForEach) {
  const Ranking ranking = ranked({refused("a", "needs two devices"), refused("b", "no network")});
  try {
    ranking.best();
    FAIL() << "there is none";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUnavailable);
    EXPECT_THAT(error.what(), HasSubstr("needs two devices"));
    EXPECT_THAT(error.what(), HasSubstr("no network"));
  }
}

TEST(Ranking, SaysOnceThatNothingFits) {
  const auto too_large = [](const std::string& strategy) {
    return RankedCandidate{
        {strategy, {}, 0}, CandidateState::kTooLarge, 0, "", "it does not fit: cuda:0 is small"};
  };
  const Ranking ranking =
      ranked({too_large("a"), too_large("b"), too_large("c"), refused("d", "no network")});
  EXPECT_EQ(thrown_text([&] { ranking.best(); }),
            "--variable_update=auto finds no strategy that fits. --variable_update=a: it does not "
            "fit: cuda:0 is small; a smaller --batch_size needs less. 2 more do not fit either.\n"
            "  --variable_update=d: no network");
}

TEST(Ranking, SaysOnceWhatAllStrategiesRefuseOfAnOption) {
  const std::string reason = "all_reduce_spec 'foo': no algorithm 'foo'";
  const auto refusal_of = [](const RankedCandidate& other) {
    const std::string mine =
        "strategy a does not take --all_reduce_spec=foo: all_reduce_spec 'foo': no algorithm 'foo'";
    try {
      ranked({refused("a", mine), other}).best();
    } catch (const Error& error) {
      return error;
    }
    return Error(ExitCode::kOk, "none");
  };
  const Error alike =
      refusal_of(refused("b", "strategy b does not take --all_reduce_spec=foo --x=1: " + reason));
  EXPECT_EQ(alike.code(), ExitCode::kUsage);
  EXPECT_EQ(alike.what(), "no strategy that --variable_update=auto may take does this: " + reason);
  EXPECT_EQ(refusal_of(refused("b", "needs two devices")).code(), ExitCode::kUnavailable);
}

// What auto added to an option that is wrong may be wrong beside it.
TEST(Ranking, SaysOnceWhatAStrategyRefusesWithAndWithoutMore) {
  const std::string reason = "all_reduce_spec 'foo': no algorithm 'foo'";
  RankedCandidate plain = refused("a", "strategy a does not take --all_reduce_spec=foo: " + reason);
  plain.candidate.options = {{"all_reduce_spec", "foo"}};
  RankedCandidate more = refused("a", "strategy a does not take --x=1: leave out one of them");
  more.candidate.options = {{"all_reduce_spec", "foo"}, {"x", "1"}};
  const auto said = [&] { return thrown_text([&] { ranked({more, plain}).best(); }); };
  EXPECT_EQ(said(), "no strategy that --variable_update=auto may take does this: " + reason);
  more.state = CandidateState::kTooLarge;
  EXPECT_THAT(said(), ::testing::HasSubstr("finds no strategy that fits"));
}

TEST(Ranking, ExplainsEveryVariantWithItsBestBuckets) {
  const std::string text =
      explanation(ranked({predicted("a", 0.010, 1 << 18), predicted("a", 0.012, 1 << 20),
                          predicted("b", 0.011), refused("c", "needs CUDA devices")}));
  EXPECT_EQ(text,
            "  --variable_update=a --bucket_mb=1     10.000 ms    +0.0 %  compute\n"
            "  --variable_update=b                   11.000 ms   +10.0 %  compute\n"
            "  --variable_update=c                refused: needs CUDA devices\n");
}

TEST(Ranking, SaysInShortWhatHasNoPrediction) {
  const std::string text = explanation(ranked(
      {refused("a", "strategy a does not take this cluster: it needs two hosts: add --hosts"),
       refused("b", "host:0 is full; take smaller buckets")}));
  EXPECT_EQ(text,
            "  --variable_update=a  refused: it needs two hosts\n"
            "  --variable_update=b  refused: host:0 is full\n");
}

}  // namespace
}  // namespace convoy::select
