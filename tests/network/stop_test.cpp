// Agreed stops: the coordinator's and a task's part, and both together in random orders.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>

#include "core/network/stop_agreement.hpp"
#include "core/network/stop_schedule.hpp"

namespace convoy::network::stop_test {

bool nothing(const StopAgreement::Outcome& outcome) {
  return std::holds_alternative<std::monostate>(outcome);
}

TEST(StopAgreement, HoldsWhenAllHaveAnswered) {
  StopAgreement stops;
  stops.begin(2);
  const auto first = std::get<StopProposal>(stops.request({"pause"}));
  EXPECT_EQ(first.reason, "pause");
  EXPECT_TRUE(nothing(stops.answer(0, {first.stop})));
  EXPECT_TRUE(nothing(stops.answer(0, {first.stop}))) << "task 1 has not answered";
  EXPECT_EQ(std::get<StopAgreed>(stops.answer(1, {first.stop})).stop, first.stop);
}

TEST(StopAgreement, DoesNotWaitForATaskThatHasLeft) {
  StopAgreement stops;
  stops.begin(2);
  const auto first = std::get<StopProposal>(stops.request({"pause"}));
  stops.answer(0, {first.stop});
  EXPECT_TRUE(std::holds_alternative<StopAgreed>(stops.leave(1)));
}

TEST(StopAgreement, RequestsWaitTheirTurnAndEqualOnesAreOne) {
  StopAgreement stops;
  stops.begin(1);
  const auto first = std::get<StopProposal>(stops.request({"pause"}));
  EXPECT_TRUE(nothing(stops.request({"pause"})));
  EXPECT_TRUE(nothing(stops.request({"end"})));
  EXPECT_TRUE(nothing(stops.request({"end"})));
  EXPECT_TRUE(std::holds_alternative<StopAgreed>(stops.answer(0, {first.stop})));
  const auto second = std::get<StopProposal>(stops.next());
  EXPECT_EQ(second.reason, "end");
  EXPECT_NE(second.stop, first.stop);
  stops.answer(0, {second.stop});
  EXPECT_TRUE(nothing(stops.next()));
}

TEST(StopAgreement, AnswersToAnEarlierStopDoNotCount) {
  StopAgreement stops;
  stops.begin(1);
  const auto first = std::get<StopProposal>(stops.request({"pause"}));
  stops.answer(0, {first.stop});
  const auto second = std::get<StopProposal>(stops.request({"pause"}));
  EXPECT_TRUE(nothing(stops.answer(0, {first.stop})));
  EXPECT_TRUE(std::holds_alternative<StopAgreed>(stops.answer(0, {second.stop})));
}

TEST(StopSchedule, HasAStopFromItsAgreementToItsEnd) {
  StopSchedule schedule;
  EXPECT_EQ(schedule.consider({1, "pause"}).stop, 1);
  EXPECT_FALSE(schedule.agreed()) << "others may not know of it";
  schedule.agree({1});
  ASSERT_TRUE(schedule.agreed());
  EXPECT_EQ(schedule.agreed()->reason, "pause");
  schedule.consider({2, "end"});
  schedule.agree({2});
  EXPECT_EQ(schedule.agreed()->reason, "pause") << "the oldest first";
  schedule.finish(1);
  EXPECT_EQ(schedule.agreed()->reason, "end");
  schedule.finish(2);
  EXPECT_FALSE(schedule.agreed());
}

// One task with messages under way from and to the coordinator, each way in order.
struct Task {
  StopSchedule schedule{};
  std::vector<StopAgreement::Outcome> inbox{};
  std::vector<TaskMessage> outbox{};
  std::vector<std::string> acted_on{};
  bool asked = false;
};

// Whatever the order of messages: all tasks, each of which asks for a pause and two of which ask
// for the end, act once on either.
TEST(Stops, AllTasksActOnTheSameStopsInAnyOrder) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    StopAgreement agreement;
    std::vector<Task> tasks(2 + random() % 4);
    agreement.begin(static_cast<int>(tasks.size()));
    const auto tell = [&](StopAgreement::Outcome outcome) {
      while (!nothing(outcome)) {
        for (Task& task : tasks) task.inbox.push_back(outcome);
        outcome = std::holds_alternative<StopAgreed>(outcome) ? agreement.next()
                                                              : StopAgreement::Outcome{};
      }
    };
    const auto deliver = [&](Task& task) {
      if (task.inbox.empty()) return;
      if (const auto* proposal = std::get_if<StopProposal>(&task.inbox.front()))
        task.outbox.push_back(task.schedule.consider(*proposal));
      else
        task.schedule.agree(std::get<StopAgreed>(task.inbox.front()));
      task.inbox.erase(task.inbox.begin());
      if (const auto stop = task.schedule.agreed()) {
        task.acted_on.push_back(stop->reason);
        task.schedule.finish(stop->stop);
      }
    };
    const auto is_through = [](const Task& task) {
      return task.inbox.empty() && task.outbox.empty() && task.asked;
    };
    for (int turn = 0; turn < 100000 && !std::ranges::all_of(tasks, is_through); ++turn) {
      const std::size_t rank = random() % tasks.size();
      Task& task = tasks[rank];
      if (!std::exchange(task.asked, true)) {
        task.outbox.push_back(StopRequest{"pause"});
        if (rank < 2) task.outbox.push_back(StopRequest{"end"});
      }
      if (random() % 2 == 0) {
        deliver(task);
      } else if (!task.outbox.empty()) {
        if (const auto* request = std::get_if<StopRequest>(&task.outbox.front()))
          tell(agreement.request(*request));
        else
          tell(agreement.answer(static_cast<int>(rank), std::get<StopAnswer>(task.outbox.front())));
        task.outbox.erase(task.outbox.begin());
      }
    }
    for (const Task& task : tasks)
      ASSERT_EQ(task.acted_on, (std::vector<std::string>{"pause", "end"})) << "seed " << seed;
  }
}

}  // namespace convoy::network::stop_test
