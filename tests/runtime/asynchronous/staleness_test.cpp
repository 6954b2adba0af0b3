#include "core/runtime/asynchronous/staleness.hpp"

#include <gtest/gtest.h>

#include "core/plan/lower/lower.hpp"
#include "tests/plan/sample_plans.hpp"

namespace convoy::testing::staleness_test {
namespace {

using runtime::Staleness;

// Two replicas that read and update one master by themselves.
class StalenessTest : public ::testing::Test {
 protected:
  // The replica reads all variables, or updates all of them.
  void read(std::uint32_t replica) { begin(replica, CONVOY_OP_RELAXED_READS); }
  void update(std::uint32_t replica) { begin(replica, CONVOY_OP_ANY_ORDER); }

  plan::Cluster cluster_ = plan::make_single_host(2, true, "cpu");
  plan::ArenaMap arena_ = small_arena(0);
  plan::Plan lowered_ = plan::lower(write_plan(cluster_, arena_, write_lagging(CONVOY_UNBOUNDED)));
  plan::Schedule schedule_ = plan::make_schedule(lowered_);
  runtime::StalenessMeter meter_{lowered_, schedule_};

 private:
  void begin(std::uint32_t replica, std::uint32_t flag) {
    for (std::uint32_t i = 0; i < lowered_.body.size(); ++i)
      if (schedule_.strands[i] == replica && (lowered_.body[i].flags & flag) != 0) meter_.begins(i);
  }
};

TEST_F(StalenessTest, IsNoneForAWorkerThatUpdatesWhatItHasJustRead) {
  for (int step = 0; step < 3; ++step) {
    read(0);
    update(0);
  }
  EXPECT_EQ(meter_.seen()[0], (Staleness{{0, 3}}));
  EXPECT_TRUE(meter_.seen()[1].empty());
}

TEST_F(StalenessTest, CountsWhatOthersAppliedInBetween) {
  read(0);
  read(1);
  update(1);
  read(1);
  update(1);
  update(0);
  EXPECT_EQ(meter_.seen()[0], (Staleness{{2, 1}}));
  EXPECT_EQ(meter_.seen()[1], (Staleness{{0, 2}}));
}

// The next step may read before the last one is applied.
TEST_F(StalenessTest, TakesReadsAndUpdatesInTheirOrder) {
  read(0);
  read(0);
  update(0);
  update(0);
  EXPECT_EQ(meter_.seen()[0], (Staleness{{0, 1}, {1, 1}}));
}

TEST_F(StalenessTest, ForgetsWhatWasSeenAndKeepsWhatWasRead) {
  read(0);
  update(0);
  read(0);
  update(1);
  meter_.forget();
  EXPECT_TRUE(meter_.seen()[0].empty());
  update(0);
  EXPECT_EQ(meter_.seen()[0], (Staleness{{1, 1}}));
}

// Gradients of the first steps of a pipeline were computed with nothing that was read.
TEST_F(StalenessTest, LeavesOutUpdatesOfWhatWasNeverRead) {
  update(0);
  EXPECT_TRUE(meter_.seen()[0].empty());
}

}  // namespace
}  // namespace convoy::testing::staleness_test
