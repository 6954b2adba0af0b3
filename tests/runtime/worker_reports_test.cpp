#include "core/runtime/asynchronous/worker_reports.hpp"

#include <gtest/gtest.h>

#include "core/base/error.hpp"

namespace convoy::testing::worker_reports_test {
namespace {

using runtime::LastSteps;
using runtime::to_text;

TEST(WorkerReports, SayWhereAllStrandsEnd) {
  const std::vector<std::string> texts{to_text(LastSteps{{{0, 12}, {2, 40}}, false}), "",
                                       to_text(LastSteps{{{1, 7}}, true})};
  const LastSteps all = runtime::last_steps_of_all(texts);
  EXPECT_EQ(all.by_strand, (std::map<std::uint32_t, std::int64_t>{{0, 12}, {1, 7}, {2, 40}}));
  EXPECT_TRUE(all.stopped);
  EXPECT_FALSE(runtime::last_steps_of_all(std::vector<std::string>{texts.front()}).stopped);
}

// The speed of a worker is known where it computes, how stale its updates are at every server.
TEST(WorkerReports, JoinWhatHostsKnowOfWorkers) {
  const std::vector<WorkerRecord> worker{{1, 20, 2.5, 64.125, {}}};
  const std::vector<WorkerRecord> server{{0, 0, 0, 0, {{3, 1}}}, {1, 0, 0, 0, {{0, 5}, {2, 7}}}};
  const std::vector<WorkerRecord> other{{1, 0, 0, 0, {{2, 1}}}};
  const std::vector<WorkerRecord> all = runtime::workers_of_all(
      std::vector<std::string>{to_text(worker), to_text(server), "", to_text(other)});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].worker, 0u);
  EXPECT_EQ(all[0].staleness, (runtime::Staleness{{3, 1}}));
  EXPECT_EQ(all[1].worker, 1u);
  EXPECT_EQ(all[1].steps, 20);
  EXPECT_EQ(all[1].seconds, 2.5);
  EXPECT_EQ(all[1].images_per_second, 64.125);
  EXPECT_EQ(all[1].staleness, (runtime::Staleness{{0, 5}, {2, 8}}));
}

TEST(WorkerReports, RefuseWhatIsNone) {
  for (const char* text : {"speed 0 many", "stale 1", "last x 3"}) {
    SCOPED_TRACE(text);
    EXPECT_THROW(runtime::workers_of_all(std::vector<std::string>{text}), Error);
  }
  EXPECT_THROW(runtime::last_steps_of_all(std::vector<std::string>{"last x 3"}), Error);
}

}  // namespace
}  // namespace convoy::testing::worker_reports_test
