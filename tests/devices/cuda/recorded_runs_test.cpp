#include "plugins/devices/cuda/graphs/recorded_runs.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <vector>

#include "tests/devices/cuda/recording_diary.hpp"

namespace convoy::cuda {
namespace {

// Operations 0 and 1 of layers, and 2, an update of what 0 computed.
class RecordedRunsOf : public testing::Test {
 protected:
  RecordedRunsOf() {
    operations_.resize(3);
    for (std::uint32_t i = 0; i < 3; ++i) {
      convoy_submission& it = operations_[i];
      it.lane = i < 2 ? CONVOY_LANE_COMPUTE : CONVOY_LANE_UPDATE;
      it.kind = i < 2 ? CONVOY_OP_BACKWARD : CONVOY_OP_SCALE;
      it.operation = i;
      it.timeline = &timelines_[i < 2 ? 0 : 1];
      it.value = i < 2 ? i + 1 : 1;
    }
    operations_[2].waits = &wait_;
    operations_[2].wait_count = 1;
  }

  OperationRun run() {
    OperationRun run(operations_.size());
    for (const convoy_submission& it : operations_) run.add(it);
    return run;
  }
  std::shared_ptr<ReplayedRun> find() {
    diary_.clear();
    return runs_->find(run());
  }

  Diary diary_;
  DiaryGraphs graphs_{diary_};
  DiaryStreams streams_{diary_};
  DiaryWork work_{diary_};
  std::uint64_t timelines_[2] = {};
  convoy_wait wait_{&timelines_[0], 1};
  std::vector<convoy_submission> operations_;
  std::unique_ptr<RecordedRuns> runs_ = std::make_unique<RecordedRuns>(
      RecordingParts{graphs_, streams_, work_, stream_of, [this](std::size_t operations) {
                       return std::make_unique<DiaryMemory>(diary_, operations);
                     }});
};

TEST_F(RecordedRunsOf, ALaneAndAnotherForkWaitAndJoin) {
  ASSERT_NE(find(), nullptr);
  EXPECT_EQ(diary_,
            (Diary{"begin on 0", "values on 0", "event 1 on 0", "4 waits for 1", "mark 1 on 0",
                   "queue 0", "event 2 on 0", "queue 1", "4 waits for 2", "mark 2 on 4", "queue 2",
                   "mark 3 on 0", "mark 4 on 4", "event 3 on 4", "0 waits for 3", "end on 0"}));
  EXPECT_EQ(streams_.open, 0);
  runs_.reset();
  EXPECT_EQ(graphs_.alive, 0);
}

TEST_F(RecordedRunsOf, ADeviceAreNotRecordedWhileItPauses) {
  std::future<void> pause;
  bool paused_while_recording = false;
  work_.on_queue = [&] {
    if (pause.valid()) return;
    pause = std::async(std::launch::async, [this] { runs_->pause(); });
    paused_while_recording =
        pause.wait_for(std::chrono::milliseconds(20)) != std::future_status::timeout;
  };
  ASSERT_NE(find(), nullptr);
  ASSERT_TRUE(pause.valid());
  EXPECT_FALSE(paused_while_recording);
  pause.get();
}

TEST_F(RecordedRunsOf, OneKindAreLaunchedAgainWithTheirOwnStepsValues) {
  operations_[1].learning_rate = 0.5;
  const auto first = find();
  ASSERT_NE(first, nullptr);
  first->launch();
  EXPECT_EQ(diary_.back(), "graph 1 on 0");
  EXPECT_EQ(work_.values_of[&operations_[1]]->learning_rate, 0.5f);
  first->landed();
  operations_[1].learning_rate = 0.25;
  operations_[1].step = 8;
  EXPECT_EQ(find(), first);
  EXPECT_TRUE(diary_.empty()) << "nothing is recorded again";
  EXPECT_EQ(work_.values_of[&operations_[1]]->learning_rate, 0.25f);
  EXPECT_EQ(work_.values_of[&operations_[1]]->step, 8u);
}

TEST_F(RecordedRunsOf, ALaunchThatIsUnderWayAreNotLaunchedOnceMore) {
  const auto first = find();
  first->launch();
  EXPECT_EQ(find(), nullptr);
  first->landed();
  EXPECT_EQ(find(), first);
}

TEST_F(RecordedRunsOf, OtherAddressesAreRecordedAnew) {
  const auto first = find();
  convoy_region region{};
  operations_[2].reads = &region;
  operations_[2].read_count = 1;
  const auto second = find();
  EXPECT_NE(second, nullptr);
  EXPECT_NE(second, first);
  region.data = handle(64);
  EXPECT_NE(find(), second);
  operations_[2].read_count = 0;
  EXPECT_EQ(find(), first) << "a few are kept";
  operations_[2].scalar = 2;
  EXPECT_NE(find(), first);
}

TEST_F(RecordedRunsOf, AddressesThatNeverRepeatKeepAFew) {
  convoy_region region{};
  operations_[2].reads = &region;
  operations_[2].read_count = 1;
  for (std::size_t i = 1; i < 50; ++i) {
    region.data = handle(i);
    ASSERT_NE(find(), nullptr);
  }
  EXPECT_LE(graphs_.alive, 4 * 5) << "graphs and their marks";
}

TEST_F(RecordedRunsOf, WhatHasNotRunYetAreNotRecorded) {
  work_.ran = false;
  EXPECT_EQ(find(), nullptr);
  EXPECT_TRUE(diary_.empty());
  work_.ran = true;
  EXPECT_NE(find(), nullptr);
}

TEST_F(RecordedRunsOf, WorkThatFailsAreEndedAndNotTriedAgain) {
  work_.fails = &operations_[1];
  EXPECT_EQ(find(), nullptr);
  EXPECT_EQ(diary_,
            (Diary{"begin on 0", "values on 0", "event 1 on 0", "4 waits for 1", "mark 1 on 0",
                   "queue 0", "event 2 on 0", "event 3 on 4", "0 waits for 3", "end on 0"}));
  work_.fails = nullptr;
  EXPECT_EQ(find(), nullptr);
  EXPECT_TRUE(diary_.empty());
  runs_.reset();
  EXPECT_EQ(graphs_.alive, 0);
}

TEST_F(RecordedRunsOf, WhatTheDriverRefusesRunsAsItIs) {
  graphs_.refuses = true;
  EXPECT_EQ(find(), nullptr);
  EXPECT_EQ(find(), nullptr);
  EXPECT_TRUE(diary_.empty()) << "it is not tried again";
}

TEST_F(RecordedRunsOf, AKindShareTheTimeOfItsStretch) {
  const auto first = find();
  std::vector<convoy_timing> times = first->times({1, 100});
  ASSERT_EQ(times.size(), 3u);
  EXPECT_EQ(times[0].start, 10);
  EXPECT_EQ(times[0].end, 20);
  EXPECT_EQ(times[1].start, 20);
  EXPECT_EQ(times[1].end, 30);
  EXPECT_EQ(times[2].start, 20);
  EXPECT_EQ(times[2].end, 40);
  times = first->times({15, 100});
  EXPECT_EQ(times[0].start, 15) << "a mark of an earlier launch";
  EXPECT_EQ(times[2].start, 20);
  streams_.forgets = true;
  times = first->times({1, 100});
  EXPECT_EQ(times[2].start, 1) << "the whole run's, where marks have no time";
  EXPECT_EQ(times[2].end, 100);
}

TEST_F(RecordedRunsOf, ResultsComeFromTheSlotsOfTheirOperations) {
  const auto first = find();
  first->launch();
  work_.slot_of[&operations_[2]]->number = 7;
  first->tell(operations_[2], 2);
  first->landed();
  first->launch();
  first->tell(operations_[2], 2);
  EXPECT_EQ(work_.told, (std::vector<double>{7, 0})) << "cleared before each launch";
}

TEST_F(RecordedRunsOf, ProgramsThatAreReleasedAreForgotten) {
  find();
  runs_->forget_all();
  EXPECT_EQ(graphs_.alive, 0);
  EXPECT_NE(find(), nullptr);
  EXPECT_FALSE(diary_.empty());
}

}  // namespace
}  // namespace convoy::cuda
