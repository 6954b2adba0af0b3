#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "plugins/devices/cuda/lanes/lane_engine.hpp"
#include "tests/devices/cuda/fake_streams.hpp"

namespace convoy::cuda {
namespace {

constexpr double kLongEnough = 5.0;  // seconds until a test gives up

// Launches whole runs, once it may, and keeps count.
class CountingReplayer : public RunReplayer {
 public:
  class Run : public ReplayedRun {
   public:
    explicit Run(CountingReplayer& replayer) : replayer_(replayer) {}
    void launch() override {
      ++replayer_.launches;
      if (replayer_.fails) throw std::runtime_error("no graph");
    }
    std::vector<convoy_timing> times(const convoy_timing& whole) override {
      return std::vector<convoy_timing>(replayer_.size, whole);
    }
    void tell(const convoy_submission&, std::size_t) override { ++replayer_.told; }
    void landed() override { ++replayer_.landings; }

   private:
    CountingReplayer& replayer_;
  };

  bool takes(const convoy_submission&) const override { return true; }
  void begin(const OperationRun&) override {
    ++begun;
    if (begin_fails) throw std::runtime_error("label 1001 is outside the 1000 classes");
  }
  void end(const OperationRun&) override { ++ended; }
  std::shared_ptr<ReplayedRun> find(const OperationRun& run) override {
    size = run.operations().size();
    return replays ? std::make_shared<Run>(*this) : nullptr;
  }

  std::atomic<bool> replays{true}, fails{false}, begin_fails{false};
  std::atomic<int> begun{0}, ended{0}, launches{0}, told{0}, landings{0};
  std::atomic<std::size_t> size{0};
};

// An engine and steps of two operations on a lane and an update on another, which the next step
// waits for.
class LaneEngineRuns : public testing::Test {
 protected:
  LaneEngineRuns() {
    LaneEngine::Hooks hooks;
    hooks.execute = [this](const convoy_submission&) -> void* {
      ++executed_;
      return nullptr;
    };
    hooks.finish = [](const convoy_submission*, void*) {};
    hooks.runs = &replayer_;
    engine_ = std::make_unique<LaneEngine>(streams_, ledger_, std::move(hooks));
  }
  ~LaneEngineRuns() override {
    closing_ = true;
    runner_.join();
  }

  void submit(std::size_t operations = 3) {
    auto& set = sets_[step_ % 2];
    for (std::size_t i = 0; i < operations; ++i) {
      convoy_submission& it = set[i];
      it = {};
      it.lane = i < 2 ? CONVOY_LANE_COMPUTE : CONVOY_LANE_UPDATE;
      it.kind = i < 2 ? CONVOY_OP_BACKWARD : CONVOY_OP_SCALE;
      it.step = step_;
      it.timeline = &timelines_[i < 2 ? 0 : 1];
      it.value = i < 2 ? 2 * step_ + i + 1 : step_ + 1;
      it.timing = &timings_[step_ % 2][i];
      waits_[step_ % 2][i] =
          i < 2 ? convoy_wait{&timelines_[1], step_} : convoy_wait{&timelines_[0], 2 * step_ + 2};
      it.waits = &waits_[step_ % 2][i];
      it.wait_count = i == 1 ? 0 : 1;
      engine_->submit(it);
    }
    ++step_;
  }
  // Whether the step's last operation was reached.
  bool finish() { return engine_->wait({&timelines_[1], step_}, kLongEnough); }
  void take_steps(int count) {
    for (int i = 0; i < count; ++i) {
      submit();
      ASSERT_TRUE(finish()) << "step " << step_;
    }
  }

  std::shared_ptr<EventLedger> ledger_ = std::make_shared<EventLedger>();
  FakeStreams streams_;
  CountingReplayer replayer_;
  std::array<std::uint64_t, 2> timelines_{};
  std::array<std::array<convoy_submission, 3>, 2> sets_{};
  std::array<std::array<convoy_wait, 3>, 2> waits_{};
  std::array<std::array<convoy_timing, 3>, 2> timings_{};
  std::uint64_t step_ = 0;
  std::atomic<int> executed_{0};
  std::atomic<bool> closing_{false};
  std::thread runner_{[this] {
    while (!closing_) {
      streams_.run_all();
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }};
  std::unique_ptr<LaneEngine> engine_;
};

TEST_F(LaneEngineRuns, LaunchAStepAtOnceOnceItIsKnown) {
  take_steps(4);
  EXPECT_EQ(executed_, 12);
  EXPECT_EQ(replayer_.begun, 0);
  take_steps(3);
  EXPECT_EQ(executed_, 12);
  EXPECT_EQ(replayer_.launches, 3);
  engine_.reset();
  EXPECT_EQ(replayer_.told, 9);
  EXPECT_EQ(replayer_.landings, 3);
  EXPECT_EQ(replayer_.ended, 3);
  EXPECT_EQ(timelines_[0], 14u);
  EXPECT_EQ(streams_.open_events(), 0u);
  EXPECT_GT(timings_[0][2].end, timings_[0][2].start);
}

TEST_F(LaneEngineRuns, RunOneByOneWhereTheyCannotBeReplayed) {
  replayer_.replays = false;
  take_steps(6);
  EXPECT_EQ(executed_, 18);
  EXPECT_EQ(replayer_.begun, 2);
  engine_.reset();
  EXPECT_EQ(replayer_.ended, 2);
  EXPECT_EQ(streams_.open_events(), 0u);
}

TEST_F(LaneEngineRuns, AreGivenUpWhenTheStepDoesNotComeAsAWhole) {
  take_steps(4);
  submit(2);
  EXPECT_TRUE(engine_->wait({&timelines_[0], 2 * step_}, kLongEnough));
  EXPECT_EQ(executed_, 14);
  EXPECT_EQ(replayer_.begun, 0);
}

void expect_failure(LaneEngine& engine, const convoy_wait& point, const std::string& text) {
  try {
    while (!engine.wait(point, kLongEnough)) {
    }
    engine.wait({point.timeline, point.value + 1}, kLongEnough);
    FAIL() << "the failure was not told";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(), text);
  }
}

TEST_F(LaneEngineRuns, TellAFailureOfTheLaunchAndLetTimelinesAdvance) {
  take_steps(4);
  replayer_.fails = true;
  submit();
  expect_failure(*engine_, {&timelines_[1], step_}, "no graph");
  engine_.reset();
  EXPECT_EQ(timelines_[0], 10u);
  EXPECT_EQ(timelines_[1], 5u);
  EXPECT_EQ(replayer_.told, 0);
}

TEST_F(LaneEngineRuns, TellWhatIsWrongWithTheirBatch) {
  take_steps(4);
  replayer_.begin_fails = true;
  submit();
  expect_failure(*engine_, {&timelines_[1], step_}, "label 1001 is outside the 1000 classes");
  engine_.reset();
  EXPECT_EQ(timelines_[0], 10u);
  EXPECT_EQ(replayer_.launches, 0);
}

TEST_F(LaneEngineRuns, EndWhenTheDeviceIsLost) {
  take_steps(5);
  streams_.break_down();
  submit();
  submit();
  EXPECT_THROW(
      {
        while (!engine_->wait({&timelines_[1], step_ + 1}, kLongEnough)) {
        }
      },
      std::runtime_error);
  engine_.reset();
  EXPECT_EQ(timelines_[1], 7u);
}

}  // namespace
}  // namespace convoy::cuda
