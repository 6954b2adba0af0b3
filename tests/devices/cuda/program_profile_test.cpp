#include "plugins/devices/cuda/programs/program_profile.hpp"

#include <gtest/gtest.h>

#include "tests/devices/cuda/fake_streams.hpp"

namespace convoy::cuda {
namespace {

PlannedTask task(std::uint32_t node, convoy_pass pass,
                 convoy_profile_role role = CONVOY_PROFILE_KERNEL, const char* by = "kernel") {
  return {{}, {node, pass, role, by}, "a layer"};
}

// Two segments; the second one's layer has both parts of a backward pass.
ProgramPlan plan() {
  ProgramPlan plan;
  plan.forward = {{task(0, CONVOY_PASS_FORWARD)},
                  {task(1, CONVOY_PASS_FORWARD, CONVOY_PROFILE_HELPER, "filter from f32"),
                   task(1, CONVOY_PASS_FORWARD, CONVOY_PROFILE_KERNEL, "cuDNN")}};
  plan.backward = {{}, {task(1, CONVOY_PASS_BACKWARD_WEIGHTS), task(1, CONVOY_PASS_BACKWARD_DATA)}};
  return plan;
}

// Queues one operation; FakeStreams' clock ticks at every event that is reached.
void queue(ProgramProfile& profile, const TaskList& tasks) {
  profile.begin(tasks, CONVOY_LANE_COMPUTE);
  for (std::size_t i = 0; i < tasks.size(); ++i) profile.mark(CONVOY_LANE_COMPUTE);
  profile.end();
}

TEST(ProgramProfile, HasARecordPerImplementationInTheOrderOfAStep) {
  FakeStreams streams;
  const ProgramPlan planned = plan();
  ProgramProfile profile(streams, planned);
  const std::vector<convoy_profile_record> records = profile.records();
  ASSERT_EQ(records.size(), 5u);
  EXPECT_EQ(records[0].node, 0u);
  EXPECT_STREQ(records[1].implementation, "filter from f32");
  EXPECT_EQ(records[1].role, std::uint32_t{CONVOY_PROFILE_HELPER});
  EXPECT_STREQ(records[2].implementation, "cuDNN");
  EXPECT_EQ(records[3].pass, std::uint32_t{CONVOY_PASS_BACKWARD_WEIGHTS});
  EXPECT_EQ(records[4].pass, std::uint32_t{CONVOY_PASS_BACKWARD_DATA});
  for (const convoy_profile_record& record : records) EXPECT_EQ(record.calls, 0u);
}

TEST(ProgramProfile, ChargesEveryTaskWithTheTimeBetweenItsEvents) {
  FakeStreams streams;
  const ProgramPlan planned = plan();
  ProgramProfile profile(streams, planned);
  queue(profile, planned.forward[0]);  // events at 1, 2
  queue(profile, planned.forward[1]);  // 3, 4, 5
  streams.run_all();
  profile.finish();
  EXPECT_EQ(profile.records()[0].calls, 1u);
  EXPECT_EQ(profile.records()[1].calls, 0u) << "its operation is not finished";
  profile.finish();
  const std::vector<convoy_profile_record> records = profile.records();
  EXPECT_EQ(records[0].recent_start[0], 1);
  EXPECT_EQ(records[0].recent_end[0], 2);
  EXPECT_EQ(records[2].calls, 1u);
  EXPECT_EQ(records[2].recent_start[0], 4);
  EXPECT_EQ(records[2].recent_end[0], 5);
  EXPECT_EQ(records[2].seconds, 1);
  EXPECT_EQ(streams.open_events(), 0u);
}

TEST(ProgramProfile, KeepsTheLatestCalls) {
  FakeStreams streams;
  const ProgramPlan planned = plan();
  ProgramProfile profile(streams, planned);
  for (int step = 0; step < 6; ++step) {
    queue(profile, planned.forward[0]);
    streams.run_all();
    profile.finish();
  }
  const convoy_profile_record record = profile.records()[0];
  EXPECT_EQ(record.calls, 6u);
  EXPECT_EQ(record.seconds, 6);
  EXPECT_EQ(record.recent_start[1], 11) << "call number 5";
  EXPECT_EQ(record.recent_start[2], 5) << "call number 2";
}

}  // namespace
}  // namespace convoy::cuda
