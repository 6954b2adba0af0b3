#include "core/base/process/thread_seconds.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "core/base/process/clocks.hpp"

namespace convoy {
namespace {

TEST(ThreadSeconds, GrowWithWhatTheThreadComputes) {
  const std::string own = std::to_string(::gettid());
  if (seconds_of_threads().empty()) GTEST_SKIP() << "this kernel does not count them";
  const double before = seconds_of_this_thread().used;
  while (seconds_on(CLOCK_THREAD_CPUTIME_ID) < before + 0.05) {
  }
  EXPECT_GE(seconds_of_this_thread().used, before + 0.04);
  EXPECT_GE(seconds_of_threads().at(own).used, before + 0.04);
  EXPECT_GE(seconds_of_threads(::getpid()).at(own).waited, 0);
}

TEST(ThreadSeconds, AreNoneOfAProcessThatIsNotThere) {
  EXPECT_TRUE(seconds_of_threads(0x7ffffff0).empty());
}

}  // namespace
}  // namespace convoy
