#include "core/report/drift_monitor.hpp"

#include <gtest/gtest.h>

namespace convoy::report {
namespace {

TEST(DriftMonitor, IsSilentWithinTheTolerance) {
  DriftMonitor monitor(0.100);
  for (int step = 0; step < 50; ++step)
    EXPECT_FALSE(monitor.add(step % 2 == 0 ? 0.107 : 0.094)) << "step " << step;
}

TEST(DriftMonitor, ReportsSlowerStepsOnce) {
  DriftMonitor monitor(0.100);
  int reports = 0;
  for (int step = 0; step < 50; ++step) {
    const auto drift = monitor.add(step < 20 ? 0.100 : 0.120);
    if (!drift) continue;
    ++reports;
    EXPECT_GT(step, 20) << "after the window holds mostly slow steps";
    EXPECT_LT(step, 30);
    EXPECT_GT(*drift, DriftMonitor::kTolerance);
  }
  EXPECT_EQ(reports, 1);
}

TEST(DriftMonitor, ReportsFasterSteps) {
  DriftMonitor monitor(0.100);
  std::optional<double> drift;
  for (std::size_t step = 0; step < DriftMonitor::kWindow; ++step) drift = monitor.add(0.080);
  ASSERT_TRUE(drift);
  EXPECT_NEAR(*drift, -0.2, 1e-9);
}

TEST(DriftMonitor, PassesOverSingleSlowSteps) {
  DriftMonitor monitor(0.100);
  for (int step = 0; step < 40; ++step)
    EXPECT_FALSE(monitor.add(step % 10 < 4 ? 5.0 : 0.100)) << "step " << step;
}

}  // namespace
}  // namespace convoy::report
