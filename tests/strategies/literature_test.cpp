// Strategies of the literature that are shipped: what the checker says of each, on 1 to 8 devices,
// and how long it takes.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <ctime>
#include <set>

#include "core/base/error.hpp"
#include "core/plan/check/check.hpp"
#include "core/plan/host_cluster.hpp"
#include "core/plan/lower/lower.hpp"
#include "core/plan/plan.hpp"
#include "tests/plan/check/mutation_oracle.hpp"
#include "tests/plan/sample_models.hpp"
#include "tests/sanitized.hpp"
#include "tests/strategies/strategy_under_test.hpp"

namespace convoy::testing {
namespace {

struct Literature {
  std::string name;
  plugin::OptionValues options;
  std::string verdict;  // its beginning, on three devices
};

void PrintTo(const Literature& it, std::ostream* stream) {
  *stream << it.name;
}

class LiteratureTest : public ::testing::TestWithParam<Literature> {
 protected:
  // Proves a plan and counts the processor time that takes. The interpreter, whose results are
  // compared with the verdict, takes up to a hundred times as long, and is not what is measured.
  plan::check::CheckReport proved(const plan::Plan& plan) {
    const std::clock_t start = std::clock();
    plan::check::CheckReport report = plan::check::check_plan(plan);
    seconds_ += static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    return report;
  }

  double seconds_ = 0;
};

TEST_P(LiteratureTest, IsWhatItClaimsOnAnyNumberOfDevices) {
  StrategyUnderTest strategy(GetParam().name, GetParam().options);
  const plan::ArenaMap arena = ragged_arena();
  for (std::uint32_t devices = 1; devices <= 8; ++devices) {
    // Many strategies write the same plan with and without shared memory.
    std::set<std::uint64_t> interpreted;
    for (const bool shared_memory : {true, false}) {
      SCOPED_TRACE(fmt::format("{} devices", devices));
      const plan::Cluster cluster = plan::make_single_host(devices, shared_memory, "cpu");
      const plan::Plan plan = strategy.plan(cluster, arena);
      const plan::check::CheckReport report = proved(plan);
      for (const plan::check::Finding& finding : report.findings) ADD_FAILURE() << finding.text;
      EXPECT_TRUE(plan::check::satisfies(report, strategy.claim())) << report.verdict_text();
      const plan::Plan pieces = plan::lower(plan, {.staging_elements = 32, .slice_elements = 8});
      EXPECT_EQ(proved(pieces).verdict_text(), report.verdict_text());
      if (devices == 3) {
        EXPECT_TRUE(report.verdict_text().starts_with(GetParam().verdict)) << report.verdict_text();
      }
      if (interpreted.insert(plan::plan_hash(plan)).second) {
        EXPECT_EQ(contradiction(plan, report).value_or(""), "");
      }
    }
  }
  RecordProperty("seconds", fmt::format("{:.2f}", seconds_));
  EXPECT_LT(seconds_, kSanitized ? 15 : 1);
}

const std::string kOnce = "approximate (every gradient counts once in the end, nothing is lost";

INSTANTIATE_TEST_SUITE_P(
    Shipped, LiteratureTest,
    ::testing::Values(
        Literature{"zero1", {}, "synchronous"}, Literature{"local_sgd", {}, kOnce},
        Literature{"local_sgd", {{"local_steps", "1"}}, kOnce},
        Literature{"local_sgd",
                   {{"outer_momentum", "0.5"}},
                   "approximate (every gradient counts 2 times in the end"},
        Literature{"local_sgd",
                   {{"outer_rate", "0.7"}, {"outer_momentum", "0.9"}, {"outer_nesterov", "true"}},
                   "approximate (every gradient counts 7 times in the end"},
        Literature{"easgd", {}, "approximate (every gradient counts 0.75 times in the end"},
        Literature{"easgd",
                   {{"local_steps", "4"}, {"moving_rate", "0.5"}},
                   "approximate (every gradient counts 0.75 times in the end"},
        Literature{"gossip", {}, kOnce}, Literature{"hierarchical", {}, "synchronous"},
        Literature{"hierarchical", {{"groups", "numa"}}, "synchronous"},
        Literature{"bytescheduler", {}, "synchronous"},
        Literature{"bytescheduler", {{"algorithm", "ring"}}, "synchronous"},
        Literature{"byteps", {}, "synchronous"}, Literature{"powersgd", {{"rank", "2"}}, kOnce},
        Literature{"powersgd", {{"rank", "1"}}, kOnce}, Literature{"topk", {}, kOnce},
        Literature{"topk", {{"ratio", "0.3"}}, kOnce}, Literature{"onebit", {}, kOnce},
        Literature{"onebit", {{"block", "7"}}, kOnce},
        Literature{"onebit", {{"code", "4bit"}, {"block", "16"}}, kOnce},
        Literature{"onebit", {{"code", "8bit"}}, kOnce},
        Literature{"fp16_compression", {}, "approximate (synchronous but for rounding"},
        Literature{
            "fp16_compression", {{"dtype", "bf16"}}, "approximate (synchronous but for rounding"}));

// Of the devices of four hosts, or of one host with several sockets, only the leaders of the groups
// meet.
TEST(Hierarchical, SumsBetweenOneDeviceOfEveryGroup) {
  const plan::ArenaMap arena = small_arena(0);
  plan::Cluster sockets = plan::make_single_host(4, false, "cuda");
  sockets.groups.numa = {0, 0, 1, 1};
  for (const plan::Cluster& cluster : {sockets, plan::make_hosts({2, 2, false, "cuda", {}})}) {
    StrategyUnderTest strategy("hierarchical");
    const plan::Plan plan = strategy.plan(cluster, arena);
    std::size_t reduced = 0;
    std::size_t met = 0;
    for (const plan::Operation& it : plan.body) {
      if (it.kind == plan::OperationKind::kReduce) reduced += it.reads.size();
      if (it.kind == plan::OperationKind::kAllReduce) met += it.reads.size();
    }
    EXPECT_EQ(reduced, 4u);
    EXPECT_EQ(met, 2u);
    EXPECT_EQ(plan::check::check_plan(plan).verdict_text(), "synchronous");
  }
}

TEST(ByteScheduler, MakesTheFirstLayersMostUrgent) {
  const plan::ArenaMap arena = small_arena(32);
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  StrategyUnderTest strategy("bytescheduler");
  const plan::Plan plan = strategy.plan(cluster, arena);
  std::uint32_t last = 0;
  for (const plan::Operation& it : plan.body)
    if (it.kind == plan::OperationKind::kAllReduce) {
      EXPECT_GE(it.priority, last);
      last = it.priority;
    }
  EXPECT_EQ(last, std::uint32_t{CONVOY_PRIORITIES - 1});
}

// Elements that each host's memory sums: n - k parts where there are devices, 2 (n - 1) elsewhere.
TEST(BytePs, SharesTheSumsAsItsFormulaSays) {
  plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_hosts({3, 2, false, "cuda", {3, 4}});
  StrategyUnderTest strategy("byteps");
  const plan::Plan plan = strategy.plan(cluster, arena);
  EXPECT_EQ(plan::check::check_plan(plan).verdict_text(), "synchronous");
  std::vector<double> summed(cluster.hosts, 0);
  for (const plan::Operation& it : plan.body)
    if (it.kind == plan::OperationKind::kSum && it.reads.size() == 3)
      summed[cluster.places[it.place].host] += static_cast<double>(it.writes.front().count);
  const double all = 3 * 1 + 2 * 4;
  for (const double workers : {summed[0], summed[1], summed[2]})
    EXPECT_NEAR(workers / static_cast<double>(arena.elements), 1 / all, 0.02);
  for (const double servers : {summed[3], summed[4]})
    EXPECT_NEAR(servers / static_cast<double>(arena.elements), 4 / all, 0.02);
}

TEST(StaleSynchronous, IsAsynchronousWithABound) {
  const plan::ArenaMap arena = ragged_arena();
  for (const plan::Cluster& cluster :
       {plan::make_single_host(3, true, "cpu"), plan::make_hosts({2, 2, true, "cpu", {2}})}) {
    StrategyUnderTest strategy("ssp", {{"staleness", "2"}});
    const plan::Plan plan = strategy.plan(cluster, arena);
    const plan::check::CheckReport report = plan::check::check_plan(plan);
    for (const plan::check::Finding& finding : report.findings) ADD_FAILURE() << finding.text;
    EXPECT_EQ(plan::check::verdict_name(report.verdict), "asynchronous");
    EXPECT_EQ(plan::check::check_plan(plan::lower(plan)).verdict_text(), report.verdict_text());
    for (const plan::Operation& it : plan.body)
      if ((it.flags & CONVOY_OP_RELAXED_READS) != 0) {
        EXPECT_EQ(it.max_lag, 2u);
      }
  }
}

// Bytes that leave devices in one step of the lowered plan.
double bytes_sent(const std::string& name, const plugin::OptionValues& options,
                  std::uint32_t devices) {
  const plan::Cluster cluster = plan::make_single_host(devices, false, "cpu");
  const plan::ArenaMap arena = large_arena(1'000'000, 20, 4);
  const plan::Plan plan = plan::lower(StrategyUnderTest(name, options).plan(cluster, arena), {});
  double bytes = 0;
  for (const plan::Operation& operation : plan.body)
    if (operation.kind == plan::OperationKind::kCopy && operation.lane == CONVOY_LANE_COPY_OUT)
      bytes += static_cast<double>(operation.reads.front().count *
                                   plan::dtype_bytes(operation.reads.front().dtype));
  return bytes;
}

TEST(LiteratureBytes, AreAsManyAsTheMessagesHave) {
  constexpr double kAll = 4e6;  // of all variables
  for (const std::uint32_t n : {2u, 4u}) {
    const double others = n * (n - 1.0);  // messages, each to every other device
    const auto expect = [&](const std::string& name, const plugin::OptionValues& options,
                            double each) {
      EXPECT_NEAR(bytes_sent(name, options, n), each, 0.002 * each) << name << ", " << n;
    };
    expect("topk", {}, 0.02 * kAll * others);
    expect("topk", {{"ratio", "0.1"}}, 0.2 * kAll * others);
    expect("onebit", {}, (1.0 / 20 + 1.0 / 256) * kAll * others);
    expect("onebit", {{"code", "4bit"}, {"block", "64"}}, (1.0 / 8 + 1.0 / 64) * kAll * others);
    expect("onebit", {{"code", "8bit"}}, (1.0 / 4 + 1.0 / 256) * kAll * others);
    expect("fp16_compression", {}, kAll * (n - 1));
    expect("replicated", {{"all_reduce_spec", "xring"}}, 2 * kAll * (n - 1));
  }
}

// A strategy that is wrong with bad options says so instead.
TEST(LiteratureRefusals, OptionsThatMakeNoSenseAreRefused) {
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const plan::ArenaMap arena = small_arena(0);
  for (const auto& [name, options] : std::vector<std::pair<std::string, plugin::OptionValues>>{
           {"local_sgd", {{"local_steps", "0"}}},
           {"local_sgd", {{"outer_momentum", "1"}}},
           {"local_sgd", {{"outer_rate", "2"}}},
           {"easgd", {{"moving_rate", "1.5"}}},
           {"easgd", {{"local_steps", "65"}}},
           {"bytescheduler", {{"partition_kb", "1"}}},
           {"ssp", {{"staleness", "0"}}},
           {"powersgd", {{"rank", "0"}}},
           {"topk", {{"ratio", "0"}}},
           {"topk", {{"ratio", "1.5"}}},
           {"onebit", {{"block", "0"}}}})
    EXPECT_THROW(StrategyUnderTest(name, options).plan(cluster, arena), Error) << name;
}

}  // namespace
}  // namespace convoy::testing
