#include "core/network/closing_watch.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "core/base/error.hpp"

namespace convoy::network {
namespace {

using std::chrono::milliseconds;

[[noreturn]] void wait_for_ever() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

TEST(ClosingWatchDeathTest, EndsWhatNeverCloses) {
  EXPECT_EXIT(
      {
        const ClosingWatch watch(milliseconds(50));
        wait_for_ever();
      },
      ::testing::ExitedWithCode(static_cast<int>(ExitCode::kUnavailable)),
      "does not close its connections.*`ulimit -u`");
}

TEST(ClosingWatchDeathTest, WatchesUntilTheLastOneHasClosed) {
  EXPECT_EXIT(
      {
        const ClosingWatch slow(milliseconds(50));
        { const ClosingWatch quick; }
        wait_for_ever();
      },
      ::testing::ExitedWithCode(static_cast<int>(ExitCode::kUnavailable)), "raise the limit");
}

TEST(ClosingWatch, LeavesNothingBehind) {
  { const ClosingWatch watch(milliseconds(20)); }
  std::this_thread::sleep_for(milliseconds(60));
  struct sigaction now {};
  ASSERT_EQ(::sigaction(SIGALRM, nullptr, &now), 0);
  EXPECT_EQ(now.sa_handler, SIG_DFL);
}

extern "C" void do_nothing(int) {}

TEST(ClosingWatch, LeavesAHandlerThatIsThereAlone) {
  std::signal(SIGALRM, do_nothing);
  { const ClosingWatch watch(milliseconds(20)); }
  EXPECT_EQ(std::signal(SIGALRM, SIG_DFL), do_nothing);
}

}  // namespace
}  // namespace convoy::network
