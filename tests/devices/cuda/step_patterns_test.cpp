#include "plugins/devices/cuda/graphs/step_patterns.hpp"

#include <gtest/gtest.h>

#include <array>

namespace convoy::cuda {
namespace {

// One device's operations as the host submits them: the same structs every other step. Timelines
// are of lanes of the schedule: those below 5 the device's own.
class StepPatternsOf : public testing::Test {
 protected:
  struct Planned {
    std::uint32_t lane;
    std::uint32_t kind;
    // Timeline, position in its lane, and how many steps ago.
    struct Wait {
      std::size_t timeline, position, ago;
    };
    std::vector<Wait> waits = {};
    std::uint64_t timeline() const { return lane; }
  };

  StepPatternsOf() {
    patterns_ = std::make_unique<StepPatterns>(
        ledger_, this, [](const convoy_submission& it) { return it.kind != CONVOY_OP_CALL; });
  }

  // Submits the next step. What each operation was told: the number of its run, in the order in
  // which runs appear, or -1.
  std::vector<int> submit(const std::vector<Planned>& plan) {
    std::vector<convoy_submission>& set = sets_[step_ % 2];
    set.resize(plan.size());
    waits_[step_ % 2].assign(plan.size(), {});
    std::array<std::size_t, 5> next{}, size{};
    for (const Planned& it : plan) ++size[it.lane];
    std::vector<int> told;
    runs_.clear();
    for (std::size_t i = 0; i < plan.size(); ++i) {
      convoy_submission& it = set[i];
      it = {};
      it.lane = plan[i].lane;
      it.kind = plan[i].kind;
      it.operation = static_cast<std::uint32_t>(i);
      it.step = it.kind == CONVOY_OP_APPLY ? updates_++ : step_;
      it.timeline = &timelines_[plan[i].lane];
      it.value = step_ * size[it.lane] + ++next[it.lane];
      for (const auto& wait : plan[i].waits) {
        const std::size_t of = wait.timeline < 5 ? size[wait.timeline] : 1;
        const std::uint64_t value =
            step_ < wait.ago ? 0 : (step_ - wait.ago) * of + wait.position + 1;
        waits_[step_ % 2][i].push_back({&timelines_[wait.timeline], value});
      }
      it.waits = waits_[step_ % 2][i].data();
      it.wait_count = waits_[step_ % 2][i].size();
      const auto run = patterns_->submitted(it);
      if (run != nullptr && (runs_.empty() || runs_.back() != run) &&
          std::find(runs_.begin(), runs_.end(), run) == runs_.end())
        runs_.push_back(run);
      const auto found = std::find(runs_.begin(), runs_.end(), run);
      told.push_back(run == nullptr ? -1 : static_cast<int>(found - runs_.begin()));
    }
    ++step_;
    return told;
  }
  std::vector<int> submit_until_known(const std::vector<Planned>& plan) {
    for (int i = 0; i < 4; ++i)
      for (const int run : submit(plan)) EXPECT_EQ(run, -1) << "step " << i;
    return submit(plan);
  }

  static constexpr std::uint32_t kCompute = CONVOY_LANE_COMPUTE, kUpdate = CONVOY_LANE_UPDATE;
  static constexpr std::size_t kOthers = 7;  // timeline of another device
  // Such as one that applies the gradients of the step before.
  const std::vector<Planned> update_first_ = {{kUpdate, CONVOY_OP_APPLY, {{kCompute, 1, 1}}},
                                              {kCompute, CONVOY_OP_FORWARD},
                                              {kCompute, CONVOY_OP_BACKWARD},
                                              {kUpdate, CONVOY_OP_APPLY, {{kCompute, 1, 0}}}};

  std::shared_ptr<EventLedger> ledger_ = std::make_shared<EventLedger>();
  std::array<std::uint64_t, 10> timelines_{};
  std::array<std::vector<convoy_submission>, 2> sets_;
  std::array<std::vector<std::vector<convoy_wait>>, 2> waits_;
  std::unique_ptr<StepPatterns> patterns_;
  std::vector<std::shared_ptr<OperationRun>> runs_;
  std::uint64_t step_ = 0;
  std::uint64_t updates_ = 0;  // of all elements, one after the other
};

TEST_F(StepPatternsOf, ADeviceThatStandsAloneAreWholeSteps) {
  const std::vector<Planned> plan = {{kCompute, CONVOY_OP_FORWARD, {{kUpdate, 1, 1}}},
                                     {kCompute, CONVOY_OP_BACKWARD},
                                     {kUpdate, CONVOY_OP_APPLY, {{kCompute, 1, 0}}},
                                     {kCompute, CONVOY_OP_BACKWARD},
                                     {kUpdate, CONVOY_OP_APPLY, {{kCompute, 2, 0}}}};
  EXPECT_EQ(submit_until_known(plan), (std::vector<int>{0, 0, 0, 0, 0}));
  ASSERT_EQ(runs_.size(), 1u);
  const OperationRun& run = *runs_.front();
  EXPECT_TRUE(run.is_complete());
  EXPECT_EQ(run.lanes(), (std::vector<std::uint32_t>{kCompute, kUpdate}));
  ASSERT_EQ(run.leading_waits().size(), 1u) << "the update of the step before";
  EXPECT_EQ(run.leading_waits().front().value, 8u);
  EXPECT_TRUE(run.later_waits().empty());
  EXPECT_EQ(run.links(2), (std::vector<std::size_t>{1}));
  EXPECT_EQ(run.links(4), (std::vector<std::size_t>{3}));
  EXPECT_EQ(submit(plan), (std::vector<int>{0, 0, 0, 0, 0})) << "the other set of structs";
}

TEST_F(StepPatternsOf, AStepMayBeginWithAnUpdate) {
  EXPECT_EQ(submit_until_known(update_first_), (std::vector<int>{0, 0, 0, 0}));
  ASSERT_EQ(runs_.size(), 1u);
  EXPECT_TRUE(runs_.front()->is_complete()) << "without the next step";
  EXPECT_EQ(runs_.front()->first().kind, std::uint32_t{CONVOY_OP_APPLY});
  EXPECT_EQ(submit(update_first_), (std::vector<int>{0, 0, 0, 0})) << "the other set of structs";
}

TEST_F(StepPatternsOf, AStepThatBeginsWithAnUpdateIsLearnedAnewFromThere) {
  submit_until_known(update_first_);
  patterns_->forget();
  EXPECT_EQ(submit_until_known(update_first_), (std::vector<int>{0, 0, 0, 0}));
  EXPECT_TRUE(runs_.front()->is_complete());
}

// Such as an evaluation of a few batches.
TEST_F(StepPatternsOf, AStepThatBeginsWithAnUpdateIsKnownBehindStepsThatAreNot) {
  submit_until_known(update_first_);
  convoy_submission other{};
  other.kind = CONVOY_OP_FORWARD;
  other.operation = 100;
  other.step = 1;
  other.timeline = &timelines_[9];
  EXPECT_EQ(patterns_->submitted(other), nullptr);
  EXPECT_EQ(submit(update_first_), (std::vector<int>{0, 0, 0, 0}));
  EXPECT_TRUE(runs_.front()->is_complete());
}

TEST_F(StepPatternsOf, DevicesThatExchangeAreRunsOfALane) {
  const std::vector<Planned> plan = {{kCompute, CONVOY_OP_FORWARD, {{kUpdate, 0, 1}}},
                                     {kCompute, CONVOY_OP_FORWARD},
                                     {kCompute, CONVOY_OP_BACKWARD},
                                     {kCompute, CONVOY_OP_BACKWARD},
                                     {kUpdate, CONVOY_OP_APPLY, {{kOthers, 0, 0}}}};
  // Another device waits for the first backward operation.
  for (std::uint64_t step = 0; step < 2; ++step)
    ledger_->note_awaited({&timelines_[kCompute], 4 * step + 3}, &timelines_);
  EXPECT_EQ(submit_until_known(plan), (std::vector<int>{0, 0, 0, 1, -1}));
  ASSERT_EQ(runs_.size(), 2u);
  EXPECT_EQ(runs_[0]->operations().size(), 3u);
  EXPECT_EQ(runs_[0]->leading_waits().size(), 1u);
}

TEST_F(StepPatternsOf, ADeviceThatOthersWaitForAreNotWholeSteps) {
  const std::vector<Planned> plan = {{kCompute, CONVOY_OP_FORWARD},
                                     {kCompute, CONVOY_OP_FORWARD},
                                     {kUpdate, CONVOY_OP_APPLY, {{kCompute, 1, 0}}},
                                     {kUpdate, CONVOY_OP_APPLY},
                                     {kUpdate, CONVOY_OP_APPLY}};
  ledger_->note_awaited({&timelines_[kUpdate], 3}, &timelines_);
  ledger_->note_awaited({&timelines_[kUpdate], 6}, &timelines_);
  EXPECT_EQ(submit_until_known(plan), (std::vector<int>{0, 0, 1, 1, 1}));
}

TEST_F(StepPatternsOf, ARunBeginsWhereALaneWaitsForAnotherOne) {
  const std::vector<Planned> plan = {{kCompute, CONVOY_OP_FORWARD, {{kOthers, 0, 1}}},
                                     {kCompute, CONVOY_OP_FORWARD},
                                     {kCompute, CONVOY_OP_FORWARD, {{kUpdate, 0, 1}}},
                                     {kCompute, CONVOY_OP_BACKWARD},
                                     {kUpdate, CONVOY_OP_APPLY, {{kCompute, 3, 0}}}};
  EXPECT_EQ(submit_until_known(plan), (std::vector<int>{0, 0, 1, 1, -1}));
}

TEST_F(StepPatternsOf, WhatCannotBeRecordedStandsBetweenRuns) {
  const std::vector<Planned> plan = {{kCompute, CONVOY_OP_FORWARD},
                                     {kCompute, CONVOY_OP_BACKWARD},
                                     {kCompute, CONVOY_OP_CALL},
                                     {kCompute, CONVOY_OP_SCALE},
                                     {kCompute, CONVOY_OP_SCALE}};
  EXPECT_EQ(submit_until_known(plan), (std::vector<int>{0, 0, -1, 1, 1}));
}

TEST_F(StepPatternsOf, AnotherPlanInTheSameMemoryAreLearnedAnew) {
  const std::vector<Planned> plan = {{kCompute, CONVOY_OP_FORWARD},
                                     {kCompute, CONVOY_OP_FORWARD},
                                     {kCompute, CONVOY_OP_FORWARD},
                                     {kCompute, CONVOY_OP_BACKWARD},
                                     {kUpdate, CONVOY_OP_APPLY, {{kCompute, 3, 0}}}};
  EXPECT_EQ(submit_until_known(plan), (std::vector<int>{0, 0, 0, 0, 0}));
  std::vector<Planned> other = plan;
  other[2].kind = CONVOY_OP_BACKWARD;
  EXPECT_EQ(submit(other), (std::vector<int>{0, 0, -1, -1, -1}));
  EXPECT_FALSE(runs_.front()->is_complete());
  EXPECT_EQ(submit_until_known(other), (std::vector<int>{0, 0, 0, 0, 0}));
}

TEST_F(StepPatternsOf, StepsThatAreForgottenAreLearnedAnew) {
  const std::vector<Planned> plan(5, {kCompute, CONVOY_OP_FORWARD});
  EXPECT_EQ(submit_until_known(plan), (std::vector<int>{0, 0, 0, 0, 0}));
  patterns_->forget();
  EXPECT_EQ(submit_until_known(plan), (std::vector<int>{0, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace convoy::cuda
