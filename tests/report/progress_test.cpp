#include "core/report/progress.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace convoy::report {
namespace {

using std::chrono::milliseconds;

TEST(Progress, WritesNothingWhenDisabled) {
  std::ostringstream out;
  Progress progress(out, false);
  progress.show("step 1");
  progress.clear();
  EXPECT_EQ(out.str(), "");
}

TEST(Progress, RewritesOneLineAtALimitedRate) {
  std::ostringstream out;
  Progress progress(out, true, milliseconds(200));
  const Progress::Clock::time_point start{};
  progress.show("step 1", start);
  progress.show("step 2", start + milliseconds(199));
  progress.show("step 3", start + milliseconds(200));
  EXPECT_EQ(out.str(), "\r\033[Kstep 1\r\033[Kstep 3");
}

TEST(Progress, LeavesAnEmptyLineBehind) {
  std::ostringstream out;
  {
    Progress progress(out, true);
    progress.show("step 1");
  }
  EXPECT_EQ(out.str(), "\r\033[Kstep 1\r\033[K");
}

TEST(Progress, CutsWhatDoesNotFitTheTerminal) {
  std::ostringstream out;
  Progress progress(out, true, milliseconds(0), 6);
  progress.show("step 1 of 2");
  EXPECT_EQ(out.str(), "\r\033[Kstep ");
}

TEST(Progress, WhatIsLeftIsSaidInTwoUnitsAtMost) {
  EXPECT_EQ(duration_text(0.2), "0 s");
  EXPECT_EQ(duration_text(59.4), "59 s");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(duration_text(7500), "2 h 05 min");
  EXPECT_EQ(duration_text(-1), "0 s");
}

}  // namespace
}  // namespace convoy::report
