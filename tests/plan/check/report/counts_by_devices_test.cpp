#include "core/plan/check/report/counts_by_devices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/plan/sample_models.hpp"

namespace convoy::testing {
namespace {

using ::testing::HasSubstr;

// v = 0.9 v + factor * sum of all gradients, which is applied as it is.
WritePlan momentum(const std::function<double(double devices)>& factor) {
  return [=](Planner& p) {
    p.compute();
    const Buffer sum = p.scratch(p.host_place(ReplicaId(0)), p.arena_elements());
    p.sum(sum, p.all_gradients(p.arena()));
    const Buffer velocity = p.persistent(p.host_place(ReplicaId(0)), p.arena_elements());
    p.scale(velocity, velocity, 0.9);
    p.axpy(velocity, factor(static_cast<double>(p.replica_count())), sum, velocity);
    for (const auto r : p.replicas()) p.apply(p.parameters(r), velocity, {.contributions = 1});
  };
}

std::string doubt_of(const WritePlan& write, const std::vector<std::uint32_t>& devices) {
  plan::check::CountsByDevices counts;
  const plan::ArenaMap arena = small_arena(0);
  for (const std::uint32_t number : devices) {
    const plan::Cluster cluster = plan::make_single_host(number, true, "cpu");
    const plan::check::CheckReport report =
        plan::check::check_plan(write_plan(cluster, arena, write));
    EXPECT_EQ(report.verdict, plan::check::Verdict::kApproximate) << report.verdict_text();
    counts.add(report);
  }
  return counts.doubt();
}

plan::check::CheckReport counting(std::uint32_t devices, double times) {
  plan::check::CheckReport report;
  report.verdict = plan::check::Verdict::kApproximate;
  report.replicas = devices;
  report.counts = report.least = times;
  return report;
}

TEST(CountsByDevices, ASumThatIsNotDividedGrows) {
  EXPECT_EQ(doubt_of(momentum([](double) { return 0.1; }), {1, 2, 3, 4}),
            "with 2, 3, 4 devices every gradient counts 2, 3, 4 times in the end: that grows with "
            "the devices, as if the sum were not divided by them");
}

TEST(CountsByDevices, ASumThatIsDividedTwiceShrinks) {
  EXPECT_THAT(doubt_of(momentum([](double n) { return 1 / n / n; }), {1, 2, 4}),
              HasSubstr("counts 5, 2.5 times in the end: that shrinks with the devices"));
}

TEST(CountsByDevices, AMeanMayBeTakenAnyNumberOfTimes) {
  for (const double times : {0.1, 0.2, 1.0})
    EXPECT_EQ(doubt_of(momentum([=](double n) { return times / n; }), {1, 2, 3, 4}), "") << times;
}

TEST(CountsByDevices, OneNumberOfDevicesShowsNothing) {
  EXPECT_EQ(doubt_of(momentum([](double) { return 0.1; }), {1, 2}), "");
}

// A center counts as one device more.
TEST(CountsByDevices, OtherCountsMayFollowTheDevices) {
  plan::check::CountsByDevices counts;
  for (const std::uint32_t devices : {2u, 3u, 4u, 8u})
    counts.add(counting(devices, devices / (devices + 1.0)));
  EXPECT_EQ(counts.doubt(), "");
}

TEST(CountsByDevices, AllVariablesAndPlansMustShowIt) {
  plan::check::CountsByDevices counts;
  for (const std::uint32_t devices : {2u, 3u}) counts.add(counting(devices, devices));
  EXPECT_NE(counts.doubt(), "");
  plan::check::CheckReport some = counting(4, 4);
  some.least = 1;
  counts.add(some);
  EXPECT_EQ(counts.doubt(), "");
}

TEST(CountsByDevices, WrongPlansShowNothing) {
  plan::check::CountsByDevices counts;
  for (const std::uint32_t devices : {2u, 3u}) {
    plan::check::CheckReport report = counting(devices, devices);
    report.verdict = devices == 2 ? plan::check::Verdict::kWrong : plan::check::Verdict::kUnproved;
    counts.add(report);
  }
  EXPECT_EQ(counts.doubt(), "");
}

TEST(CountsByDevices, EveryStageIsLookedAt) {
  plan::check::CountsByDevices counts;
  for (const std::uint32_t devices : {2u, 3u}) {
    plan::check::CheckReport report = counting(devices, 1);
    report.stages = {{0, counting(devices, 1)}, {8, counting(devices, devices)}};
    counts.add(report);
  }
  EXPECT_THAT(counts.doubt(), HasSubstr("counts 2, 3 times"));
}

}  // namespace
}  // namespace convoy::testing
