#include "plugins/devices/cuda/lanes/lane_engine.hpp"

#include <convoy/sized.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "tests/devices/cuda/fake_streams.hpp"

namespace convoy::cuda {
namespace {

constexpr double kSoon = 5.0;  // seconds until a test gives up

void wait_until(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (!condition()) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "nothing happened";
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

// An engine over fake streams, with a timeline per lane.
class LaneEngines : public testing::Test {
 protected:
  struct Unit {
    FakeStreams streams;
    std::vector<const convoy_submission*> executed;
    std::vector<const convoy_submission*> finished;
    std::mutex mutex;
    const convoy_submission* failing = nullptr;
    bool breaks_down = false;  // the device, when the operation fails
    std::atomic<bool> is_check_failing{false};
    std::unique_ptr<LaneEngine> engine;

    explicit Unit(const std::shared_ptr<EventLedger>& ledger) {
      LaneEngine::Hooks hooks;
      hooks.execute = [this](const convoy_submission& it) -> void* {
        const std::lock_guard lock(mutex);
        if (&it == failing && breaks_down) streams.break_down();
        if (&it == failing) throw std::runtime_error("bad operation");
        executed.push_back(&it);
        return nullptr;
      };
      hooks.finish = [this](const convoy_submission* it, void*) {
        const std::lock_guard lock(mutex);
        if (it != nullptr) finished.push_back(it);
      };
      hooks.check = [this] {
        if (is_check_failing) throw std::runtime_error("a collective failed");
      };
      engine = std::make_unique<LaneEngine>(streams, ledger, std::move(hooks));
    }
    std::size_t count() {
      const std::lock_guard lock(mutex);
      return executed.size();
    }
  };

  convoy_submission operation(std::uint32_t lane, std::uint64_t value) {
    auto it = make_sized<convoy_submission>();
    it.lane = lane;
    it.timeline = &timelines_[lane];
    it.value = value;
    return it;
  }
  convoy_wait point(std::uint32_t lane, std::uint64_t value) { return {&timelines_[lane], value}; }

  std::shared_ptr<EventLedger> ledger_ = std::make_shared<EventLedger>();
  std::array<std::uint64_t, 2 * kLanes> timelines_{};
};

TEST_F(LaneEngines, QueueWorkBeforeWhatItWaitsForIsDone) {
  Unit unit(ledger_);
  convoy_submission first = operation(0, 1), second = operation(4, 1);
  const convoy_wait wait = point(0, 1);
  second.waits = &wait;
  second.wait_count = 1;
  unit.engine->submit(first);
  unit.engine->submit(second);
  wait_until([&] { return unit.streams.queued(4) == 1; });
  EXPECT_FALSE(holds(wait)) << "nothing has run yet";
  unit.streams.run(4);
  EXPECT_FALSE(unit.engine->wait(point(4, 1), 0.02)) << "its stream waits for the other one";
  unit.streams.run_all();
  EXPECT_TRUE(unit.engine->wait(point(4, 1), kSoon));
  EXPECT_TRUE(holds(wait));
  unit.engine.reset();
  EXPECT_EQ(unit.streams.open_events(), 0u);
}

TEST_F(LaneEngines, HoldBackWhatWaitsForSomethingNotYetQueued) {
  Unit unit(ledger_);
  convoy_submission late = operation(0, 1), early = operation(1, 1);
  const convoy_wait wait = point(0, 1);
  early.waits = &wait;
  early.wait_count = 1;
  unit.engine->submit(early);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(unit.count(), 0u);
  unit.engine->submit(late);
  wait_until([&] { return unit.count() == 2; });
  unit.streams.run_all();
  EXPECT_TRUE(unit.engine->wait(point(1, 1), kSoon));
}

TEST_F(LaneEngines, WaitForEachOther) {
  Unit one(ledger_), two(ledger_);
  convoy_submission from = operation(0, 1), to = operation(2, 1);
  const convoy_wait wait = point(0, 1);
  to.waits = &wait;
  to.wait_count = 1;
  two.engine->submit(to);
  one.engine->submit(from);
  wait_until([&] { return two.count() == 1; });
  two.streams.run_all();
  EXPECT_FALSE(two.engine->wait(point(2, 1), 0.01));
  one.streams.run_all();
  EXPECT_TRUE(one.engine->wait(point(0, 1), kSoon));
  two.streams.run_all();
  EXPECT_TRUE(two.engine->wait(point(2, 1), kSoon));
}

TEST_F(LaneEngines, FollowTimelinesThatOthersAdvance) {
  Unit unit(ledger_);
  convoy_submission it = operation(0, 1);
  const convoy_wait wait = point(7, 3);
  it.waits = &wait;
  it.wait_count = 1;
  unit.engine->submit(it);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_EQ(unit.count(), 0u);
  reach(&timelines_[7], 3);
  wait_until([&] { return unit.count() == 1; });
  unit.streams.run_all();
  EXPECT_TRUE(unit.engine->wait(point(0, 1), kSoon));
}

TEST_F(LaneEngines, TellTimes) {
  Unit unit(ledger_);
  convoy_submission it = operation(3, 1);
  convoy_timing timing{};
  it.timing = &timing;
  unit.engine->submit(it);
  wait_until([&] { return unit.streams.queued(3) == 2; });
  unit.streams.run_all();
  ASSERT_TRUE(unit.engine->wait(point(3, 1), kSoon));
  EXPECT_EQ(timing.start, 1.0);
  EXPECT_EQ(timing.end, 2.0);
}

TEST_F(LaneEngines, SkipWhatComesAfterAFailureAndLetTimelinesAdvance) {
  Unit unit(ledger_);
  std::array<convoy_submission, 3> all = {operation(0, 1), operation(0, 2), operation(0, 3)};
  unit.failing = &all[1];
  for (const convoy_submission& it : all) unit.engine->submit(it);
  wait_until([&] {
    unit.streams.run_all();
    return timelines_[0] == 3;
  });
  EXPECT_EQ(unit.count(), 1u);
  try {
    unit.engine->wait(point(0, 3), kSoon);
    FAIL() << "the failure was not told";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "bad operation");
  }
}

TEST_F(LaneEngines, TellWhyAnOperationFailedAlsoWhenItsEndCannotBeRecorded) {
  Unit unit(ledger_);
  convoy_submission only = operation(0, 1);
  unit.failing = &only;
  unit.breaks_down = true;
  unit.engine->submit(only);
  wait_until([&] { return timelines_[0] == 1; });
  try {
    unit.engine->wait(point(0, 1), kSoon);
    FAIL() << "the failure was not told";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "bad operation");
  }
}

TEST_F(LaneEngines, EndWhenTheDeviceIsLost) {
  Unit unit(ledger_);
  convoy_submission first = operation(0, 1), second = operation(1, 1);
  unit.engine->submit(first);
  wait_until([&] { return unit.streams.queued(0) == 1; });
  unit.streams.break_down();
  unit.engine->submit(second);
  EXPECT_THROW(
      {
        while (!unit.engine->wait(point(1, 1), kSoon)) {
        }
        unit.engine->wait(point(0, 1), kSoon);
      },
      std::runtime_error);
  unit.engine.reset();
  EXPECT_EQ(timelines_[0], 1u);
  EXPECT_EQ(timelines_[1], 1u);
}

// The second operation is skipped, and seen to end by the thread that has looked at the first one
// before: that one still uses its memory.
TEST_F(LaneEngines, DoNotEndWhatStillRunsWhenACheckFails) {
  Unit unit(ledger_);
  convoy_submission first = operation(0, 1), second = operation(1, 1);
  unit.engine->submit(first);
  wait_until([&] { return unit.streams.queued(0) == 1; });
  unit.is_check_failing = true;
  EXPECT_THROW(
      {
        while (!unit.engine->wait(point(0, 1), kSoon)) {
        }
      },
      std::runtime_error);
  unit.engine->submit(second);
  wait_until([&] { return holds(point(1, 1)); });
  EXPECT_FALSE(holds(point(0, 1))) << "its stream has not come to its end";
  unit.streams.run_all();
  wait_until([&] { return holds(point(0, 1)); });
  unit.engine.reset();
  EXPECT_EQ(unit.streams.open_events(), 0u);
}

TEST_F(LaneEngines, RefuseALaneThatIsNotThere) {
  Unit unit(ledger_);
  convoy_submission it = operation(0, 1);
  it.lane = 5;
  EXPECT_THROW(unit.engine->submit(it), std::invalid_argument);
}

}  // namespace
}  // namespace convoy::cuda
