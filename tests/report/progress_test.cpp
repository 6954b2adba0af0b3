#include "core/report/progress.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace convoy {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const Progress::Clock::time_point kStart{seconds(1000)};

TEST(Progress, StaysSilentWhereNobodyWatches) {
  std::ostringstream out;
  {
    Progress progress(out, false);
    progress.update("warm-up", 1, 10, "", kStart);
  }
  EXPECT_EQ(out.str(), "");
}

TEST(Progress, IsRateLimited) {
  std::ostringstream out;
  Progress progress(out, true, milliseconds(200));
  progress.update("step", 1, 10, "a", kStart);
  const auto once = out.str();
  EXPECT_NE(once.find("step 1/10  a"), std::string::npos) << once;
  progress.update("step", 2, 10, "b", kStart + milliseconds(199));
  EXPECT_EQ(out.str(), once);
  progress.update("step", 3, 10, "c", kStart + milliseconds(200));
  EXPECT_NE(out.str().find("step 3/10  c"), std::string::npos) << out.str();
}

TEST(Progress, ANewActivityIsShownAtOnce) {
  std::ostringstream out;
  Progress progress(out, true, seconds(10));
  progress.update("warm-up", 1, 10, "", kStart);
  progress.update("step", 1, 10, "", kStart + milliseconds(1));
  EXPECT_NE(out.str().find("step 1/10"), std::string::npos) << out.str();
}

TEST(Progress, EstimatesTheTimeLeft) {
  std::ostringstream out;
  Progress progress(out, true, milliseconds(1));
  progress.update("step", 0, 100, "", kStart);
  progress.update("step", 20, 100, "", kStart + seconds(30));
  EXPECT_NE(out.str().find("2:00 left"), std::string::npos) << out.str();
}

TEST(Progress, ErasesItsLineWhenItGoes) {
  std::ostringstream out;
  {
    Progress progress(out, true);
    progress.update("step", 1, 10, "", kStart);
  }
  EXPECT_TRUE(out.str().ends_with("\r\033[K")) << out.str();
}

}  // namespace
}  // namespace convoy
