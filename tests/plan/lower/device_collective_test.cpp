#include "core/plan/lower/device_collective.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/plan/lower/lower.hpp"
#include "tests/plan/sample_gradients.hpp"
#include "tests/plan/sample_plans.hpp"

namespace convoy::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Devices with memory of their own that reduce among themselves.
plan::Cluster united(std::uint32_t devices) {
  plan::Cluster cluster = plan::make_single_host(devices, false, "device");
  cluster.device_collectives = true;
  return cluster;
}

// Gradients of these replicas only.
std::vector<Span> some(Planner& p, const std::vector<std::uint32_t>& replicas, Range range) {
  std::vector<Span> spans;
  spans.reserve(replicas.size());
  for (const std::uint32_t r : replicas) spans.push_back(p.gradient(ReplicaId(r))[range]);
  return spans;
}

class DeviceCollectives : public ::testing::Test {
 protected:
  plan::Plan lowered(const plan::Cluster& cluster, const WritePlan& write) {
    return plan::lower(write_plan(cluster, arena_, write));
  }
  std::size_t collectives(const plan::Plan& plan) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        plan.body, [](const plan::Operation& it) { return plan::is_collective(it.kind); }));
  }
  plan::ArenaMap arena_ = small_arena(16);
};

TEST_F(DeviceCollectives, StayOneOperationInTheLaneOfTheFirstDevice) {
  const plan::Cluster cluster = united(3);
  const plan::Plan plan = lowered(cluster, [](Planner& p) {
    p.compute();
    std::vector<Span> spans = p.all_gradients(p.arena());
    std::swap(spans.front(), spans.back());
    p.all_reduce(spans);
  });
  const auto found =
      std::ranges::find(plan.body, plan::OperationKind::kAllReduce, &plan::Operation::kind);
  ASSERT_NE(found, plan.body.end());
  EXPECT_EQ(found->place, 0u);
  EXPECT_EQ(found->lane, std::uint32_t{CONVOY_LANE_COLLECTIVE});
  EXPECT_THAT(plan::participants(*found, plan), ElementsAre(2, 1, 0));
}

TEST_F(DeviceCollectives, MoveElementsOfAnyTypeAndReduceNumbersOnly) {
  const plan::Cluster cluster = united(2);
  const auto spans = [](Planner& p, Dtype dtype, std::uint64_t count) {
    return std::vector<Span>{p.scratch(PlaceId(0), count, dtype),
                             p.scratch(PlaceId(1), count, dtype)};
  };
  for (const Dtype dtype : {Dtype::kF32, Dtype::kBf16, Dtype::kI32, Dtype::kU8}) {
    const plan::Plan moved = lowered(cluster, [&](Planner& p) {
      p.compute();
      p.all_gather(spans(p, dtype, 8), spans(p, dtype, 4));
      p.broadcast(spans(p, dtype, 8), p.scratch(PlaceId(0), 8, dtype));
    });
    EXPECT_EQ(collectives(moved), 2u) << static_cast<int>(dtype);
  }
  const plan::Plan reduced = lowered(cluster, [&](Planner& p) {
    p.compute();
    p.all_reduce(spans(p, Dtype::kI32, 8));
  });
  EXPECT_EQ(collectives(reduced), 0u);
}

TEST_F(DeviceCollectives, BecomeCopiesAndSumsWhereADeviceHasTwoSpans) {
  const plan::Cluster cluster = united(2);
  const plan::Plan plan = lowered(cluster, [](Planner& p) {
    p.compute();
    const Range all = p.arena();
    p.broadcast({p.scratch(p.replica_place(ReplicaId(1)), all.count),
                 p.scratch(p.replica_place(ReplicaId(1)), all.count)},
                p.gradient(ReplicaId(0))[all]);
  });
  EXPECT_EQ(collectives(plan), 0u);
}

TEST_F(DeviceCollectives, BecomeCopiesAndSumsWhereTheRootHasNothingToAdd) {
  const plan::Cluster cluster = united(3);
  const plan::Plan plan = lowered(cluster, [](Planner& p) {
    p.compute();
    p.reduce(p.scratch(p.replica_place(ReplicaId(2)), p.arena().count), some(p, {0, 1}, p.arena()));
  });
  EXPECT_EQ(collectives(plan), 0u);
}

TEST_F(DeviceCollectives, AreRefusedWithTheReasonWhereOnlyTheyWillDo) {
  plan::Cluster cluster = united(2);
  const WritePlan write = write_replicated(Algorithm::kDeviceOnly);
  EXPECT_GT(collectives(lowered(cluster, write)), 0u);
  cluster.device_collectives = false;
  cluster.no_device_collectives = "gpu 0 is there twice";
  const WritePlan either = write_replicated(Algorithm::kDevice);
  EXPECT_EQ(collectives(lowered(cluster, either)), 0u);
  EXPECT_EQ(plan::lowered_collectives_notice(write_plan(cluster, arena_, either)),
            "collectives run as copies and sums, because gpu 0 is there twice");
  EXPECT_EQ(plan::lowered_collectives_notice(
                write_plan(cluster, arena_, write_replicated(Algorithm::kRing))),
            "");
  try {
    lowered(cluster, write);
    FAIL() << "lowered";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    EXPECT_THAT(error.what(), HasSubstr("(all_reduce) is for the devices' own collectives, which "
                                        "cannot run here: gpu 0 is there twice"));
  }
}

TEST_F(DeviceCollectives, OfOneGroupAlwaysComeInOneOrder) {
  for (const std::uint32_t devices : {2u, 3u, 8u})
    for (const SamplePlan& sample : sample_plans()) {
      const plan::Cluster cluster = united(devices);
      const plan::Plan plan = lowered(cluster, sample.write);
      EXPECT_NO_THROW(plan::require_collective_order(plan, plan::make_schedule(plan)))
          << sample.name << ", " << devices;
    }
}

// Devices 1 and 2 could meet the two in opposite orders.
TEST_F(DeviceCollectives, ThatOverlapInAnyOrderAreRefusedByNumber) {
  const plan::Cluster cluster = united(4);
  const auto write = [](bool chained) {
    return [chained](Planner& p) {
      p.compute();
      const Range first = {0, 8};
      const Range second = chained ? first : Range{8, 8};
      p.all_reduce(some(p, {0, 1, 2}, first));
      p.all_reduce(some(p, {1, 2, 3}, second));
    };
  };
  const plan::Plan ordered = lowered(cluster, write(true));
  EXPECT_NO_THROW(plan::require_collective_order(ordered, plan::make_schedule(ordered)))
      << "the second reads what the first writes, in the next step the first what this one wrote";
  const plan::Plan plan = lowered(cluster, write(false));
  try {
    plan::require_collective_order(plan, plan::make_schedule(plan));
    FAIL() << "taken";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("(all_reduce) and "));
    EXPECT_THAT(error.what(), HasSubstr("may run in either order"));
  }
}

}  // namespace
}  // namespace convoy::testing
