// Agreed stops: the coordinator's and a task's part, and both together in random orders.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/network/stop_agreement.hpp"
#include "core/network/stop_schedule.hpp"

namespace convoy::network::stop_test {

TEST(StopAgreement, ProposesAStepBeyondTheNewest) {
  StopAgreement stops;
  stops.begin(2);
  const auto outcome = stops.request({StopKind::kAfterStep, 3, "checkpoint"}, 10);
  const auto* proposal = std::get_if<StopProposal>(&outcome);
  ASSERT_TRUE(proposal);
  EXPECT_GT(proposal->step, 10);
  EXPECT_EQ(proposal->reason, "checkpoint");
}

TEST(StopAgreement, HoldsWhenAllHaveAccepted) {
  StopAgreement stops;
  stops.begin(2);
  const auto first = std::get<StopProposal>(stops.request({StopKind::kAfterStep, 20, "x"}, 0));
  EXPECT_EQ(first.step, 20);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(stops.answer(0, {first.stop, 20, true, 1})));
  const auto agreed = stops.answer(1, {first.stop, 20, true, 1});
  ASSERT_TRUE(std::holds_alternative<StopAgreed>(agreed));
  EXPECT_EQ(std::get<StopAgreed>(agreed).step, 20);
}

TEST(StopAgreement, IsRaisedForATaskThatIsFurther) {
  StopAgreement stops;
  stops.begin(2);
  const auto first = std::get<StopProposal>(stops.request({StopKind::kAfterStep, 5, "x"}, 0));
  stops.answer(0, {first.stop, first.step, true, 1});
  const auto raised = std::get<StopProposal>(stops.answer(1, {first.stop, first.step, false, 9}));
  EXPECT_EQ(raised.stop, first.stop);
  EXPECT_GT(raised.step, 9);
  EXPECT_TRUE(
      std::holds_alternative<std::monostate>(stops.answer(1, {first.stop, raised.step, true, 9})))
      << "task 0 has accepted the lower step only";
  EXPECT_TRUE(
      std::holds_alternative<StopAgreed>(stops.answer(0, {first.stop, raised.step, true, 9})));
}

TEST(StopAgreement, DoesNotWaitForATaskThatHasLeft) {
  StopAgreement stops;
  stops.begin(2);
  const auto first = std::get<StopProposal>(stops.request({StopKind::kAfterStep, 5, "x"}, 0));
  stops.answer(0, {first.stop, first.step, true, 1});
  EXPECT_TRUE(std::holds_alternative<StopAgreed>(stops.leave(1)));
}

TEST(StopAgreement, RequestsWaitTheirTurnAndEqualOnesAreOne) {
  StopAgreement stops;
  stops.begin(1);
  const auto first = std::get<StopProposal>(stops.request({StopKind::kAfterStep, 5, "x"}, 0));
  EXPECT_TRUE(
      std::holds_alternative<std::monostate>(stops.request({StopKind::kAfterStep, 5, "x"}, 0)));
  EXPECT_TRUE(
      std::holds_alternative<std::monostate>(stops.request({StopKind::kAfterStep, 0, "y"}, 0)));
  EXPECT_TRUE(std::holds_alternative<StopAgreed>(stops.answer(0, {first.stop, 5, true, 1})));
  const auto second = stops.next();
  ASSERT_TRUE(std::holds_alternative<StopProposal>(second));
  EXPECT_EQ(std::get<StopProposal>(second).reason, "y");
  EXPECT_GT(std::get<StopProposal>(second).step, 5) << "stops come one after the other";
  stops.answer(0, {2, std::get<StopProposal>(second).step, true, 1});
  EXPECT_TRUE(std::holds_alternative<std::monostate>(stops.next()));
}

TEST(StopSchedule, HoldsStepsBackFromItsWordOn) {
  StopSchedule schedule;
  EXPECT_TRUE(schedule.submit(1));
  EXPECT_TRUE(schedule.consider({1, StopKind::kAfterStep, 3, "x"}).accepted);
  EXPECT_TRUE(schedule.submit(2));
  EXPECT_TRUE(schedule.submit(3));
  EXPECT_FALSE(schedule.submit(4));
  EXPECT_FALSE(schedule.holding(4)) << "not agreed yet";
  schedule.agree({1, 3});
  ASSERT_TRUE(schedule.holding(4));
  EXPECT_EQ(schedule.holding(4)->step, 3);
  EXPECT_EQ(schedule.holding(4)->reason, "x");
  schedule.finish(1);
  EXPECT_TRUE(schedule.submit(4));
}

TEST(StopSchedule, RefusesAStepThatIsPast) {
  StopSchedule schedule;
  schedule.submit(7);
  const StopAnswer answer = schedule.consider({1, StopKind::kAfterStep, 6, "x"});
  EXPECT_FALSE(answer.accepted);
  EXPECT_EQ(answer.submitted, 7);
  EXPECT_TRUE(schedule.submit(8)) << "a refused proposal holds nothing back";
  EXPECT_TRUE(schedule.consider({1, StopKind::kAfterStep, 9, "x"}).accepted);
}

TEST(StopSchedule, DrainingStopsWhereTheTaskIs) {
  StopSchedule schedule;
  schedule.submit(7);
  EXPECT_TRUE(schedule.consider({1, StopKind::kDrain, 2, "x"}).accepted);
  EXPECT_FALSE(schedule.submit(8));
  EXPECT_FALSE(schedule.agreed(StopKind::kDrain));
  schedule.agree({1, 2});
  EXPECT_EQ(schedule.holding(8)->step, 7);
  EXPECT_TRUE(schedule.agreed(StopKind::kDrain));
  EXPECT_FALSE(schedule.agreed(StopKind::kAfterStep));
}

// One task with messages under way from and to the coordinator.
struct Task {
  StopSchedule schedule{};
  std::int64_t next = 1;
  std::vector<StopAgreement::Outcome> inbox{};
  std::vector<StopAnswer> outbox{};
  std::optional<AgreedStop> stop{};
};

// Whatever the order of messages and steps, every task stops after the same step and none has
// submitted a later one.
TEST(Stops, TasksStopAfterTheSameStepInAnyOrder) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    StopAgreement agreement;
    std::vector<Task> tasks(1 + random() % 5);
    agreement.begin(static_cast<int>(tasks.size()));
    const auto tell = [&](const StopAgreement::Outcome& outcome) {
      if (!std::holds_alternative<std::monostate>(outcome))
        for (Task& task : tasks) task.inbox.push_back(outcome);
    };
    tell(agreement.request({StopKind::kAfterStep, static_cast<int>(random() % 6), "x"}, 0));
    const auto stopped = [](const Task& task) { return task.stop.has_value(); };
    for (int turn = 0; turn < 100000 && !std::ranges::all_of(tasks, stopped); ++turn) {
      const std::size_t rank = random() % tasks.size();
      Task& task = tasks[rank];
      switch (random() % 3) {
        case 0:
          if (!task.stop && task.schedule.submit(task.next))
            ++task.next;
          else if (!task.stop)
            task.stop = task.schedule.holding(task.next);
          break;
        case 1:
          if (task.inbox.empty()) break;
          if (const auto* proposal = std::get_if<StopProposal>(&task.inbox.front()))
            task.outbox.push_back(task.schedule.consider(*proposal));
          else
            task.schedule.agree(std::get<StopAgreed>(task.inbox.front()));
          task.inbox.erase(task.inbox.begin());
          break;
        default:
          if (task.outbox.empty()) break;
          tell(agreement.answer(static_cast<int>(rank), task.outbox.front()));
          task.outbox.erase(task.outbox.begin());
      }
    }
    for (const Task& task : tasks) {
      ASSERT_TRUE(task.stop) << "seed " << seed;
      EXPECT_EQ(task.stop->step, tasks.front().stop->step) << "seed " << seed;
      EXPECT_EQ(task.next, task.stop->step + 1) << "seed " << seed;
    }
  }
}

}  // namespace convoy::network::stop_test
