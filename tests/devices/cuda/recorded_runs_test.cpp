#include "plugins/devices/cuda/graphs/recorded_runs.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <stdexcept>
#include <string>

#include "plugins/devices/cuda/graphs/graph_eligibility.hpp"
#include "plugins/devices/cuda/graphs/operation_signature.hpp"

namespace convoy::cuda {
namespace {

using Diary = std::vector<std::string>;

cudaStream_t stream_of(std::uint32_t lane) {
  return reinterpret_cast<cudaStream_t>(static_cast<std::uintptr_t>(lane + 1));
}
std::string lane_of(cudaStream_t stream) {
  return std::to_string(reinterpret_cast<std::uintptr_t>(stream) - 1);
}
std::string number(const void* handle) {
  return std::to_string(reinterpret_cast<std::uintptr_t>(handle));
}
void* handle(std::size_t number) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(number));
}

// All keep one diary instead of graphs, streams and work.
class DiaryGraphs : public GraphDriver {
 public:
  explicit DiaryGraphs(Diary& diary) : diary_(diary) {}
  void begin(cudaStream_t stream) override { diary_.push_back("begin on " + lane_of(stream)); }
  Graph end(cudaStream_t stream) override {
    diary_.push_back("end on " + lane_of(stream));
    if (refuses) return nullptr;
    ++alive;
    return handle(++made_);
  }
  void launch(Graph graph, cudaStream_t stream) override {
    diary_.push_back("graph " + number(graph) + " on " + lane_of(stream));
  }
  void destroy(Graph) override { --alive; }
  Mark make_mark() override {
    ++alive;
    return handle(++marks_);
  }
  void place(Mark mark, cudaStream_t stream) override {
    diary_.push_back("mark " + number(mark) + " on " + lane_of(stream));
  }
  void destroy_mark(Mark) override { --alive; }

  bool refuses = false;
  int alive = 0;

 private:
  Diary& diary_;
  std::size_t made_ = 0;
  std::size_t marks_ = 0;
};

class DiaryStreams : public StreamDriver {
 public:
  explicit DiaryStreams(Diary& diary) : diary_(diary) {}
  void begin_thread() override {}
  Event record(std::uint32_t lane) override {
    diary_.push_back("event " + std::to_string(++events_) + " on " + std::to_string(lane));
    ++open;
    return handle(events_);
  }
  void wait(std::uint32_t lane, Event event) override {
    diary_.push_back(std::to_string(lane) + " waits for " + number(event));
  }
  bool reached(Event) override { return true; }
  double time(Event) override { return 0; }
  // Ten times its number.
  std::optional<double> marked_time(Event mark) override {
    if (forgets) return std::nullopt;
    return 10.0 * static_cast<double>(reinterpret_cast<std::uintptr_t>(mark));
  }
  void give_back(Event) override { --open; }

  bool forgets = false;
  int open = 0;

 private:
  Diary& diary_;
  std::size_t events_ = 0;
};

class DiaryMemory : public RunMemory {
 public:
  DiaryMemory(Diary& diary, std::size_t operations)
      : diary_(diary), values_(operations), slots_(operations) {}
  StepValues& values(std::size_t operation) override { return values_[operation]; }
  const StepValues* device_values(std::size_t operation) const override {
    return &values_[operation];
  }
  PinnedSlots::Slot& slot(std::size_t operation) override { return slots_[operation]; }
  void bring_values(cudaStream_t stream) override {
    diary_.push_back("values on " + lane_of(stream));
  }

 private:
  Diary& diary_;
  std::vector<StepValues> values_;
  std::vector<PinnedSlots::Slot> slots_;
};

class DiaryWork : public RunWork {
 public:
  explicit DiaryWork(Diary& diary) : diary_(diary) {}
  bool takes(const convoy_submission&) const override { return true; }
  bool describe(const convoy_submission& it, Signature& signature) override {
    append_signature(it, signature);
    return ran;
  }
  StepValues values(const convoy_submission& it) override {
    return {it.step, static_cast<float>(it.learning_rate)};
  }
  void begin(const convoy_submission& it) override { note("bring", it); }
  void end(const convoy_submission& it) override { note("release", it); }
  void queue(const convoy_submission& it, PinnedSlots::Slot* slot,
             const StepValues* values) override {
    if (fails == &it) throw std::runtime_error("bad shape");
    note("queue", it);
    slot_of[&it] = slot;
    values_of[&it] = values;
  }
  void tell(const convoy_submission&, const PinnedSlots::Slot& slot) override {
    told.push_back(slot.number);
  }

  bool ran = true;
  const convoy_submission* fails = nullptr;
  std::map<const convoy_submission*, PinnedSlots::Slot*> slot_of;
  std::map<const convoy_submission*, const StepValues*> values_of;
  std::vector<double> told;

 private:
  void note(const std::string& what, const convoy_submission& it) {
    diary_.push_back(what + " " + std::to_string(it.operation));
  }

  Diary& diary_;
};

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

TEST(GraphEligibility, SaysWhatIsReplayedAndWhatForbidsMore) {
  EXPECT_EQ(graph_remark(GraphMode::kOff, 2, false), "");
  EXPECT_EQ(graph_remark(GraphMode::kOn, 1, true),
            "CUDA graphs are off: --profile looks between the layers");
  const std::string one = graph_remark(GraphMode::kOn, 1, false);
  EXPECT_NE(one.find("every step as one launch"), std::string::npos) << one;
  const std::string two = graph_remark(GraphMode::kOn, 2, false);
  EXPECT_NE(two.find("unless devices exchange something"), std::string::npos) << two;
}

TEST(GraphEligibility, TakesAutoOnAndOff) {
  EXPECT_EQ(graph_mode("on"), GraphMode::kOn);
  EXPECT_EQ(graph_mode("off"), GraphMode::kOff);
  EXPECT_EQ(graph_mode("auto"), GraphMode::kOff);
  EXPECT_THROW(graph_mode("perhaps"), std::invalid_argument);
}

}  // namespace
}  // namespace convoy::cuda
