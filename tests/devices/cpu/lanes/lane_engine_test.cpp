#include "plugins/devices/cpu/lanes/lane_engine.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <stdexcept>

#include "tests/support/thrown_text.hpp"

namespace convoy::cpu {
namespace {

constexpr double kPatience = 60;  // seconds

// An engine that notes the values of what it runs; value 13 throws.
class NotingEngine {
 public:
  explicit NotingEngine(bool spin)
      : engine_({.start = [] {},
                 .execute = [this](const convoy_submission& it) { note(it.value); },
                 .finish = [] {},
                 .spin = spin}) {}

  LaneEngine& operator*() { return engine_; }
  LaneEngine* operator->() { return &engine_; }
  // Read inside a call or after the engine has done all that was submitted.
  const std::vector<std::uint64_t>& noted() const { return noted_; }

 private:
  void note(std::uint64_t value) {
    if (value == 13) throw std::runtime_error("thirteen");
    noted_.push_back(value);
  }

  std::vector<std::uint64_t> noted_;
  LaneEngine engine_;  // last: its thread uses the others
};

class Submissions {
 public:
  const convoy_submission& add(std::uint32_t lane, std::uint64_t* timeline, std::uint64_t value) {
    convoy_submission& it = all_.emplace_back();
    it.lane = lane;
    it.timeline = timeline;
    it.value = value;
    return it;
  }
  const convoy_submission& add_after(std::uint32_t lane, std::uint64_t* timeline,
                                     std::uint64_t value, const convoy_wait& point) {
    points_.push_back(point);
    add(lane, timeline, value);
    all_.back().waits = &points_.back();
    all_.back().wait_count = 1;
    return all_.back();
  }

 private:
  std::deque<convoy_submission> all_;
  std::deque<convoy_wait> points_;
};

class LaneEngines : public testing::TestWithParam<bool> {};  // whether they spin

TEST_P(LaneEngines, WaitForEachOther) {
  constexpr std::uint64_t kRounds = 2000;
  Submissions submissions;
  std::uint64_t ping = 100, pong = 100;
  NotingEngine first(GetParam()), second(GetParam());
  for (std::uint64_t i = 101; i <= 100 + kRounds; ++i) {
    first->submit(submissions.add_after(CONVOY_LANE_COMPUTE, &ping, i, {&pong, i - 1}));
    second->submit(submissions.add_after(CONVOY_LANE_UPDATE, &pong, i, {&ping, i}));
  }
  ASSERT_TRUE(second->wait({&pong, 100 + kRounds}, kPatience));
  second->call([&] { EXPECT_EQ(second.noted().size(), kRounds); });
}

TEST_P(LaneEngines, GoOnAfterAFailureWithoutRunningAnythingAndTellIt) {
  Submissions submissions;
  std::uint64_t timeline = 0;
  NotingEngine engine(GetParam());
  engine->submit(submissions.add(CONVOY_LANE_COMPUTE, &timeline, 12));
  engine->submit(submissions.add(CONVOY_LANE_COMPUTE, &timeline, 13));
  engine->submit(submissions.add(CONVOY_LANE_COMPUTE, &timeline, 14));
  const auto failure = [&]() -> std::string {
    return thrown_text<std::exception>([&] {
      // Whether the failure or the last value shows first depends on the moment.
      while (engine->wait({&timeline, 14}, kPatience)) {
      }
    });
  };
  EXPECT_EQ(failure(), "thirteen");
  engine->call([&] { EXPECT_EQ(engine.noted(), std::vector<std::uint64_t>{12}); });
}

TEST_P(LaneEngines, RunCallsOnTheirThreadAndRethrow) {
  NotingEngine engine(GetParam());
  std::thread::id there;
  engine->call([&] { there = std::this_thread::get_id(); });
  EXPECT_NE(there, std::this_thread::get_id());
  EXPECT_THROW(engine->call([] { throw std::out_of_range("call"); }), std::out_of_range);
}

TEST_P(LaneEngines, FinishWhatWasSubmittedBeforeTheyEnd) {
  Submissions submissions;
  std::uint64_t timeline = 0;
  {
    NotingEngine engine(GetParam());
    for (std::uint64_t i = 1; i <= 100; ++i)
      engine->submit(submissions.add(CONVOY_LANE_COPY_IN, &timeline, 1000 + i));
  }
  EXPECT_EQ(timeline, 1100u);
}

INSTANTIATE_TEST_SUITE_P(Spin, LaneEngines, testing::Bool(), [](const auto& instance) {
  return instance.param ? "Spinning" : "Sleeping";
});

}  // namespace
}  // namespace convoy::cpu
