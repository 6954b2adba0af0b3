// Candidates of the strategies that are installed with convoy, planned by themselves.
#include "core/select/rank_candidates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "core/base/error.hpp"
#include "core/plan/cluster.hpp"
#include "core/plugin/catalog.hpp"
#include "core/plugin/search_path.hpp"
#include "tests/plan/sample_models.hpp"

namespace convoy::select {
namespace {

using ::testing::HasSubstr;

class RankCandidates : public ::testing::Test {
 protected:
  RankCandidates() {
    problem_.cluster = plan::make_single_host(2, true, "cpu");
    problem_.arena = [](std::uint64_t) { return testing::ragged_arena(); };
    problem_.strategy = [this](const Candidate& candidate) {
      const plugin::FoundPlugin found =
          catalog_.find(plugin::PluginKind::kStrategy, candidate.strategy);
      return std::make_unique<plugin::StrategyPlugin>(host_.load_strategy(found),
                                                      candidate.options);
    };
    // Shorter plans are faster.
    problem_.predict = [](const plan::Plan& lowered) {
      simulate::Prediction prediction;
      prediction.step.emplace();
      prediction.step->step_seconds = 1e-3 * static_cast<double>(lowered.body.size());
      prediction.step->bottleneck = "operations";
      return prediction;
    };
  }

  Ranking rank(const std::vector<std::uint64_t>& buckets = {1 << 20}) {
    std::vector<plugin::Manifest> strategies;
    for (const plugin::FoundPlugin& plugin : catalog_.plugins()) {
      if (plugin.manifest.kind == plugin::PluginKind::kStrategy)
        strategies.push_back(plugin.manifest);
    }
    return rank_candidates(enumerate_candidates(strategies, given_, buckets), problem_);
  }

  // What became of the candidate with these flags.
  static RankedCandidate of(const Ranking& ranking, const std::string& flags) {
    const auto found = std::find_if(
        ranking.candidates.begin(), ranking.candidates.end(),
        [&](const auto& each) { return flags_of(each.candidate) == flags + " --bucket_mb=4"; });
    if (found != ranking.candidates.end()) return *found;
    ADD_FAILURE() << flags << " is no candidate";
    return {};
  }

  static plugin::Catalog own_plugins() {
    const std::vector<plugin::SearchEntry> places = {
        {std::string(CONVOY_BINARY_DIR) + "/lib/convoy/plugins", plugin::SearchOrigin::kFlag}};
    return plugin::Catalog::scan(places);
  }

  plugin::Catalog catalog_ = own_plugins();
  plugin::PluginHost host_;
  SelectionProblem problem_;
  std::map<std::string, std::string> given_;
};

TEST_F(RankCandidates, PredictsEverySynchronousVariant) {
  const Ranking ranking = rank();
  for (const char* flags : {"--variable_update=parameter_server --local_parameter_device=cpu",
                            "--variable_update=parameter_server", "--variable_update=replicated",
                            "--variable_update=replicated --all_reduce_spec=collective"}) {
    const RankedCandidate candidate = of(ranking, flags);
    EXPECT_EQ(candidate.state, CandidateState::kPredicted) << flags << ": " << candidate.reason;
    EXPECT_GT(candidate.step_seconds, 0) << flags;
  }
}

TEST_F(RankCandidates, LeavesOutWhatComputesSomethingElse) {
  const RankedCandidate alone = of(rank(), "--variable_update=independent");
  EXPECT_EQ(alone.state, CandidateState::kExcluded);
  EXPECT_THAT(alone.reason, HasSubstr("independent"));
}

TEST_F(RankCandidates, NeverTakesDevicesThatTrainApartEvenWhenInexactOnesAreAllowed) {
  problem_.allows_inexact = true;
  const RankedCandidate alone = of(rank(), "--variable_update=independent");
  EXPECT_EQ(alone.state, CandidateState::kExcluded) << alone.reason;
}

TEST_F(RankCandidates, TakesStaleStrategiesOnlyWhenInexactOnesAreAllowed) {
  const std::string flags = "--variable_update=parameter_server --staged_vars=true";
  given_ = {{"staged_vars", "true"}};
  const RankedCandidate refused = of(rank(), flags);
  EXPECT_EQ(refused.state, CandidateState::kExcluded);
  EXPECT_THAT(refused.reason, HasSubstr("stale"));
  EXPECT_THAT(refused.reason, HasSubstr("--auto_inexact"));
  problem_.allows_inexact = true;
  EXPECT_EQ(of(rank(), flags).state, CandidateState::kPredicted);
}

TEST_F(RankCandidates, PlansWithTheGuardsOfARun) {
  const double plain = of(rank(), "--variable_update=replicated").step_seconds;
  problem_.guard.clip_norm = 1;
  const RankedCandidate guarded = of(rank(), "--variable_update=replicated");
  ASSERT_EQ(guarded.state, CandidateState::kPredicted) << guarded.reason;
  EXPECT_GT(guarded.step_seconds, plain) << "norms are operations, too";
}

TEST_F(RankCandidates, SaysWhyAStrategyRefuses) {
  const RankedCandidate nccl = of(rank(), "--variable_update=replicated --all_reduce_spec=nccl");
  EXPECT_EQ(nccl.state, CandidateState::kRefused);
  EXPECT_THAT(nccl.reason, HasSubstr("nccl"));
}

TEST_F(RankCandidates, SaysWhatDoesNotFit) {
  problem_.predict = [](const plan::Plan&) {
    simulate::Prediction prediction;
    prediction.problem = "needs 9 GB, cpu:0 has 8 GB";
    return prediction;
  };
  const RankedCandidate large = of(rank(), "--variable_update=replicated");
  EXPECT_EQ(large.state, CandidateState::kTooLarge);
  EXPECT_THAT(large.reason, HasSubstr("9 GB"));
}

TEST_F(RankCandidates, PlansOnlyWhatIsAdmitted) {
  const std::string flags = "--variable_update=replicated";
  std::atomic<int> asked = 0;
  problem_.admit = [&](const Candidate& candidate, const plan::PlanAuthor& author) {
    ++asked;
    EXPECT_EQ(author.name, candidate.strategy);
    const plan::Cluster alone = plan::make_single_host(1, true, "cpu");
    const plan::StepPlan smaller(alone, testing::ragged_arena(), author, {.written_twice = false});
    EXPECT_FALSE(smaller.logical().body.empty());
    if (candidate.strategy == "replicated") fail(ExitCode::kFailed, "its plan is too large");
  };
  const Ranking ranking = rank();
  EXPECT_GT(asked, 1);
  const RankedCandidate refused = of(ranking, flags);
  EXPECT_EQ(refused.state, CandidateState::kRefused);
  EXPECT_EQ(refused.reason, "its plan is too large");
  const RankedCandidate admitted = of(ranking, "--variable_update=parameter_server");
  EXPECT_EQ(admitted.state, CandidateState::kPredicted) << admitted.reason;
}

TEST_F(RankCandidates, ComparesBucketSizes) {
  problem_.arena = [](std::uint64_t elements) {
    plan::ArenaMap arena = testing::ragged_arena();
    arena.buckets = plan::make_buckets(arena.elements, elements);
    return arena;
  };
  const Ranking ranking = rank({64, 1 << 20});
  EXPECT_EQ(ranking.best().candidate.bucket_elements, 1u << 20)
      << "the plan with one bucket is the shortest, but the ranking is\n"
      << explanation(ranking);
}

// With shorter plans faster, every smaller size of buckets is slower.
TEST_F(RankCandidates, GiveUpSmallerBucketsThatDoNotMakeTheStepShorter) {
  problem_.arena = [](std::uint64_t elements) { return testing::small_arena(elements); };
  const std::vector<std::uint64_t> buckets = {128, 64, 32, 16, 8};
  const Ranking all = rank(buckets);
  problem_.gives_up_smaller_buckets = true;
  const Ranking few = rank(buckets);
  EXPECT_LT(few.candidates.size(), all.candidates.size());
  EXPECT_EQ(flags_of(few.best().candidate), flags_of(all.best().candidate));
  EXPECT_EQ(explanation(few), explanation(all)) << "the best of each variant is among them";
}

}  // namespace
}  // namespace convoy::select
