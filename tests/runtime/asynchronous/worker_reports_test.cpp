#include "core/runtime/asynchronous/worker_reports.hpp"

#include <gtest/gtest.h>

#include "core/base/error.hpp"

namespace convoy::testing::worker_reports_test {
namespace {

using Texts = std::vector<std::string>;
using runtime::LastSteps;
using runtime::to_text;

TEST(WorkerReports, SayWhereAllStrandsEnd) {
  const Texts texts{to_text(LastSteps{{{0, 12}, {2, 40}}, false}), "",
                    to_text(LastSteps{{{1, 7}}, true})};
  const LastSteps all = runtime::last_steps_of_all(texts, 3);
  EXPECT_EQ(all.by_strand, (std::map<std::uint32_t, std::int64_t>{{0, 12}, {1, 7}, {2, 40}}));
  EXPECT_TRUE(all.stopped);
  EXPECT_FALSE(all.over);
  EXPECT_TRUE(runtime::last_steps_of_all(Texts{to_text(LastSteps{{{0, 3}}, false, true})}, 1).over);
}

// The speed of a worker is known where it computes, how stale its updates are at every server.
TEST(WorkerReports, JoinWhatHostsKnowOfWorkers) {
  const std::vector<WorkerRecord> worker{{1, 20, 2.5, 64.125, {}}};
  const std::vector<WorkerRecord> server{{0, 0, 0, 0, {{3, 1}}}, {1, 0, 0, 0, {{0, 5}, {2, 7}}}};
  const std::vector<WorkerRecord> other{{1, 0, 0, 0, {{2, 1}}}};
  const std::vector<WorkerRecord> all =
      runtime::workers_of_all(Texts{to_text(worker), to_text(server), "", to_text(other)}, 2);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].worker, 0u);
  EXPECT_EQ(all[0].staleness, (std::map<std::uint64_t, std::uint64_t>{{3, 1}}));
  EXPECT_EQ(all[1].worker, 1u);
  EXPECT_EQ(all[1].steps, 20);
  EXPECT_EQ(all[1].seconds, 2.5);
  EXPECT_EQ(all[1].images_per_second, 64.125);
  EXPECT_EQ(all[1].staleness, (std::map<std::uint64_t, std::uint64_t>{{0, 5}, {2, 8}}));
}

TEST(WorkerReports, RefuseWhatIsNone) {
  for (const char* text :
       {"", "speed 0 many", "stale 1", "last x 3", "last 0 3", "speed 0 1 2", "speed 0 -1 2 3",
        "speed 0 1 -2 3", "speed 0 1 nan 3", "speed 0 1 2 inf", "speed 0 1 2 3 4", "speed 2 1 2 3",
        "stale -1 1 1", "stale 0 1 1 ", "stale 0 9223372036854775807 1",
        "stale 0 1 4611686018427387904\nstale 0 1 1"}) {
    SCOPED_TRACE(text);
    EXPECT_THROW(runtime::workers_of_all(Texts{text, "\n"}, 2), Error);
  }
  for (const char* text : {"last x 3", "last 0", "last 0 -1", "last 1 1", "last 0 1 2",
                           "last 0 9223372036854775807", "stopped 1", "speed 0 1", "paused 0"}) {
    SCOPED_TRACE(text);
    EXPECT_THROW(runtime::last_steps_of_all(Texts{text, "last 0 5"}, 1), Error);
  }
}

// Every worker waits until it knows where all others pause.
TEST(WorkerReports, RefuseToLeaveAWorkerOut) {
  EXPECT_THROW(runtime::last_steps_of_all(Texts{"last 0 5"}, 2), Error);
}

}  // namespace
}  // namespace convoy::testing::worker_reports_test
