#include "core/select/decision.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/select/selection_json.hpp"

namespace convoy::select {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

RankedCandidate candidate(const std::string& strategy, std::uint64_t bucket, double seconds) {
  return {{strategy, {{"where", "cpu"}}, bucket}, CandidateState::kPredicted, seconds, "sums", ""};
}

Ranking three() {
  RankedCandidate refused;
  refused.candidate = {"never", {}, 1 << 18};
  refused.reason = "no";
  return ranked({candidate("slow", 1 << 18, 0.012), candidate("fast", 1 << 18, 0.010),
                 candidate("fast", 1 << 20, 0.011), refused});
}

TrialResult slow_wins() {
  TrialResult trial;
  trial.tried = {{{"fast", {{"where", "cpu"}}, 1 << 18}, 0.010, 0.010, 6, ""},
                 {{"slow", {{"where", "cpu"}}, 1 << 18}, 0.012, 0.009, 6, ""},
                 {{"loose", {}, 1 << 18}, 0.013, {}, 0, "it is stale"}};
  trial.steps = 17;
  trial.exchanges = 3;
  trial.exchange_seconds = 0.25;
  return trial;
}

TEST(Decision, IsTheFastestWithTheBestOfTheOtherVariantsAsRunnerUp) {
  const Decision decision = decide(three(), {}, "8 devices", false);
  EXPECT_EQ(decision.chosen.strategy, "fast");
  EXPECT_EQ(decision.chosen.bucket_elements, 1u << 18);
  EXPECT_EQ(decision.compared, 3u);
  ASSERT_TRUE(decision.runner_up);
  EXPECT_EQ(decision.runner_up->candidate.strategy, "slow");
  EXPECT_DOUBLE_EQ(decision.runner_up->step_seconds, 0.012);
}

TEST(Decision, IsTheUsualVariantWhereSimulationCannotTellThemApart) {
  const Candidate usual{"slow", {{"where", "cpu"}}, 0};
  const Ranking close = ranked({candidate("fast", 1, 1.000), candidate("slow", 1, 1.004),
                                candidate("slow", 2, 1.003), candidate("slow", 4, 1.1)});
  const Decision decision = decide(close, usual, "", false);
  EXPECT_EQ(decision.chosen.strategy, "slow");
  EXPECT_EQ(decision.chosen.bucket_elements, 2u);
  EXPECT_EQ(decision.runner_up->candidate.strategy, "fast");
  EXPECT_THAT(decision_line(decision), HasSubstr("as fast (the usual one among the fastest of 4"));
  EXPECT_EQ(decide(three(), usual, "", false).chosen.strategy, "fast") << "20 % are a difference";
}

// On one device approximate strategies compute an exact step, too.
TEST(Decision, PrefersAStrategyThatIsExactOnAnyCluster) {
  std::vector<RankedCandidate> candidates = {
      candidate("gossip", 1, 1.000), candidate("hierarchical", 1, 1.001), candidate("far", 1, 1.1)};
  candidates[0].claims_approximate = true;
  EXPECT_EQ(decide(ranked(candidates), {}, "", false).chosen.strategy, "hierarchical");
  candidates[1].claims_approximate = true;
  EXPECT_EQ(decide(ranked(candidates), {}, "", false).chosen.strategy, "gossip");
}

// Another bucket size of the usual variant is no more usual than the fastest one.
TEST(Decision, KeepsTheFastestWhereItIsTheUsualVariantItself) {
  const Candidate usual{"slow", {{"where", "cpu"}}, 0};
  const Ranking close =
      ranked({candidate("slow", 1 << 22, 1.000), candidate("slow", 1 << 18, 1.002),
              candidate("fast", 1 << 18, 1.003)});
  const Decision decision = decide(close, usual, "", false);
  EXPECT_EQ(decision.chosen.strategy, "slow");
  EXPECT_EQ(decision.chosen.bucket_elements, 1u << 22);
  EXPECT_DOUBLE_EQ(decision.step_seconds, 1.000);
  EXPECT_FALSE(decision.usual);
  EXPECT_EQ(decision.runner_up->candidate.strategy, "fast");
}

TEST(Decision, OfASingleVariantHasNoRunnerUp) {
  EXPECT_FALSE(
      decide(ranked({candidate("fast", 4, 1), candidate("fast", 8, 2)}), {}, "", false).runner_up);
}

TEST(Decision, IsSaidInOneLineWithStepReasonAndRunnerUp) {
  const std::string line = decision_line(decide(three(), {}, "8 devices of x", false));
  EXPECT_EQ(line,
            "--variable_update=auto takes --variable_update=fast --where=cpu --bucket_mb=1: "
            "predicted step 10.000 ms, beside compute mostly sums; next --variable_update=slow "
            "--where=cpu "
            "--bucket_mb=1, +20.0 % (the fastest of 3 simulated on 8 devices of x)");
}

TEST(Decision, ByRuleIsSaidToBeNone) {
  Decision decision;
  decision.chosen = {"replicated", {}, 0};
  decision.basis = "CPU devices share memory";
  const std::string line = decision_line(decision);
  EXPECT_THAT(line, HasSubstr("a rule of thumb"));
  EXPECT_THAT(line, HasSubstr("CPU devices share memory"));
  EXPECT_THAT(line, Not(HasSubstr("predicted")));
}

TEST(Decision, SurvivesJson) {
  const Decision decision = decide(three(), {}, "8 devices", true);
  EXPECT_EQ(decision_from_json(to_json(decision)), decision) << to_json(decision).dump(2);
  const Decision measured = decide(decision, slow_wins(), three().candidates[2]);
  EXPECT_EQ(decision_from_json(to_json(measured)), measured) << to_json(measured).dump(2);
}

TEST(Decision, AfterATrialIsTheWinnerWithWhatWasMeasured) {
  const Decision predicted = decide(three(), {}, "8 devices", true);
  const RankedCandidate slow = three().candidates[2];
  ASSERT_EQ(slow.candidate.strategy, "slow");
  const Decision decision = decide(predicted, slow_wins(), slow);
  EXPECT_EQ(decision.origin, DecisionOrigin::kMeasured);
  EXPECT_EQ(decision.chosen, slow.candidate);
  EXPECT_DOUBLE_EQ(decision.step_seconds, 0.012);
  EXPECT_DOUBLE_EQ(expected_step_seconds(decision), 0.009);
  EXPECT_DOUBLE_EQ(expected_step_seconds(predicted), 0.010);
  EXPECT_EQ(decision.runner_up, (RunnerUp{predicted.chosen, 0.010}));
  EXPECT_EQ(decision_line(decision),
            "--variable_update=auto takes --variable_update=slow --where=cpu --bucket_mb=1: step "
            "9.000 ms, predicted 12.000 ms; next --variable_update=fast --where=cpu --bucket_mb=1, "
            "+11.1 % (the best of 2 measured in 17 steps on 8 devices)");
}

TEST(Decision, RemembersWhatWasMeasured) {
  Decision decision =
      decide(decide(three(), {}, "8 devices", true), slow_wins(), three().candidates[2]);
  decision.origin = DecisionOrigin::kRemembered;
  EXPECT_THAT(decision_line(decision), HasSubstr("(remembered: the best of 2 measured"));
}

TEST(TrialTable, HasTheFastestFirstAndWhoWasLeftOutLast) {
  const std::string text = trial_table(slow_wins());
  const auto at = [&](const char* part) {
    EXPECT_THAT(text, HasSubstr(part));
    return text.find(part);
  };
  EXPECT_LT(at("9.000 ms, predicted 12.000 ms (6 steps)"),
            at("10.000 ms, predicted 10.000 ms (6 steps)"));
  EXPECT_LT(at("10.000 ms, predicted"), at("not tried, predicted 13.000 ms: it is stale"));
}

TEST(Decision, JsonOfARankingHasEveryCandidate) {
  const auto json = to_json(three());
  ASSERT_EQ(json.size(), 4u);
  EXPECT_EQ(json[0]["state"], "predicted");
  EXPECT_EQ(json[0]["behind"], 0.0);
  EXPECT_EQ(json[3]["state"], "refused");
  EXPECT_EQ(json[3]["reason"], "no");
}

TEST(Shortlist, ToleratesWhatPredictionsAreWrongBy) {
  EXPECT_DOUBLE_EQ(shortlist_tolerance(0), 0.03);
  EXPECT_DOUBLE_EQ(shortlist_tolerance(0.01), 0.03);
  EXPECT_DOUBLE_EQ(shortlist_tolerance(0.05), 0.10);
}

}  // namespace
}  // namespace convoy::select
