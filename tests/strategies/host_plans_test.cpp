// What strategies write for several hosts: proved by the checker as written and as lowered, on the
// clusters with and without parameter servers of their own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/plan/check/check.hpp"
#include "core/plan/host_cluster.hpp"
#include "core/plan/lower/lower.hpp"
#include "tests/plan/sample_models.hpp"
#include "tests/strategies/strategy_under_test.hpp"

namespace convoy::testing {
namespace {

struct HostVariant {
  std::string strategy;
  plugin::OptionValues options;
  plan::check::Verdict verdict;  // with several workers
};

const HostVariant kHostVariants[] = {
    {"distributed_replicated", {}, plan::check::Verdict::kAppliesPerStep},
    {"distributed_replicated",
     {{"local_parameter_device", "cpu"}},
     plan::check::Verdict::kAppliesPerStep},
    {"distributed_replicated",
     {{"variable_placement", "bytes"}},
     plan::check::Verdict::kAppliesPerStep},
    {"parameter_server", {}, plan::check::Verdict::kAppliesPerStep},
    {"parameter_server",
     {{"local_parameter_device", "cpu"}},
     plan::check::Verdict::kAppliesPerStep},
    {"parameter_server",
     {{"variable_placement", "round_robin"}},
     plan::check::Verdict::kAppliesPerStep},
    {"parameter_server", {{"cross_replica_sync", "false"}}, plan::check::Verdict::kAsynchronous},
    {"parameter_server", {{"staged_vars", "true"}}, plan::check::Verdict::kStale},
    {"parameter_server", {{"variable_consistency", "relaxed"}}, plan::check::Verdict::kStale},
    {"replicated", {}, plan::check::Verdict::kSynchronous},
    {"replicated", {{"all_reduce_spec", "collective"}}, plan::check::Verdict::kSynchronous},
    {"replicated", {{"all_reduce_spec", "xring"}}, plan::check::Verdict::kSynchronous},
    {"replicated", {{"all_reduce_spec", "pscpu#2"}}, plan::check::Verdict::kSynchronous},
    {"replicated", {{"all_reduce_spec", "psgpu#2"}}, plan::check::Verdict::kSynchronous},
    {"distributed_all_reduce",
     {{"all_reduce_spec", "nccl/xring"}},
     plan::check::Verdict::kSynchronous},
    {"distributed_all_reduce",
     {{"all_reduce_spec", "nccl/pscpu#2"}},
     plan::check::Verdict::kSynchronous},
    {"distributed_all_reduce",
     {{"all_reduce_spec", "pscpu/pscpu"}},
     plan::check::Verdict::kSynchronous},
    {"distributed_all_reduce",
     {{"all_reduce_spec", "pscpu:8:pscpu#2:32:nccl/xring"}},
     plan::check::Verdict::kSynchronous},
    {"collective_all_reduce", {}, plan::check::Verdict::kSynchronous},
    {"collective_all_reduce",
     {{"all_reduce_spec", "collective#2"}},
     plan::check::Verdict::kSynchronous},
    {"hierarchical", {}, plan::check::Verdict::kSynchronous},
    {"bytescheduler", {}, plan::check::Verdict::kSynchronous},
    {"bytescheduler", {{"algorithm", "ring"}}, plan::check::Verdict::kSynchronous},
    {"byteps", {}, plan::check::Verdict::kSynchronous},
    {"ssp", {}, plan::check::Verdict::kAsynchronous},
};

std::vector<plan::HostsDescription> sample_hosts() {
  std::vector<plan::HostsDescription> all;
  for (const bool peer_access : {true, false})
    for (const std::vector<std::uint32_t>& servers :
         {std::vector<std::uint32_t>{}, {2}, {2, 3, 4}, {0, 1}})
      all.push_back({2, 2, peer_access, "device", servers});
  all.push_back({4, 1, true, "device", {}});
  all.push_back({3, 3, false, "device", {}});
  return all;
}

TEST(HostPlans, AreProvedAsWrittenAndAsLowered) {
  const plan::ArenaMap arena = ragged_arena();
  for (const HostVariant& variant : kHostVariants)
    for (const plan::HostsDescription& hosts : sample_hosts()) {
      StrategyUnderTest strategy(variant.strategy, variant.options);
      plan::Cluster cluster = plan::make_hosts(hosts);
      SCOPED_TRACE(::testing::Message()
                   << variant.strategy << ' '
                   << (variant.options.empty() ? "" : variant.options.begin()->first) << ", "
                   << hosts.hosts << " hosts, " << hosts.server_hosts.size() << " servers, peers "
                   << hosts.peer_access);
      for (const bool device_collectives : {true, false}) {
        cluster.device_collectives = device_collectives;
        const plan::Plan plan = strategy.plan(cluster, arena);
        const plan::check::CheckReport report = plan::check::check_plan(plan);
        for (const plan::check::Finding& finding : report.findings) ADD_FAILURE() << finding.text;
        EXPECT_EQ(plan::check::verdict_name(report.verdict),
                  plan::check::verdict_name(variant.verdict));
        EXPECT_TRUE(plan::check::satisfies(report, strategy.claim())) << report.verdict_text();
        if (variant.verdict == plan::check::Verdict::kAppliesPerStep) {
          EXPECT_EQ(report.applies_per_step, hosts.hosts);
        }
        const plan::Plan pieces = plan::lower(plan, {.staging_elements = 32, .slice_elements = 8});
        EXPECT_EQ(plan::check::check_plan(pieces).verdict_text(), report.verdict_text());
        ASSERT_FALSE(HasFailure());
      }
    }
}

TEST(HostPlans, OfHalvingAndDoublingAreSynchronousForPowersOfTwo) {
  const plan::ArenaMap arena = ragged_arena();
  StrategyUnderTest strategy("distributed_all_reduce", {{"all_reduce_spec", "nccl/rechd"}});
  for (const std::uint32_t hosts : {2u, 4u, 8u}) {
    const plan::Cluster cluster = plan::make_hosts({hosts, 2, false, "device", {}});
    const plan::Plan plan = strategy.plan(cluster, arena);
    EXPECT_EQ(plan::check::check_plan(plan).verdict_text(), "synchronous") << hosts;
    EXPECT_EQ(plan::check::check_plan(plan::lower(plan)).verdict_text(), "synchronous") << hosts;
  }
  const plan::Cluster three = plan::make_hosts({3, 2, false, "device", {}});
  EXPECT_THROW(strategy.plan(three, arena), Error);
}

TEST(HostPlans, OfOneWorkerAreSynchronous) {
  const plan::ArenaMap arena = ragged_arena();
  for (const char* name : {"distributed_replicated", "parameter_server"})
    for (const std::vector<std::uint32_t>& servers :
         {std::vector<std::uint32_t>{}, {1}, {1, 2}, {0}}) {
      const plan::Cluster cluster = plan::make_hosts({1, 3, true, "device", servers});
      StrategyUnderTest strategy(name);
      EXPECT_EQ(plan::check::check_plan(strategy.plan(cluster, arena)).verdict_text(),
                "synchronous")
          << name;
    }
}

std::vector<std::uint32_t> servers_by_variable(const plan::Plan& plan) {
  std::vector<std::uint32_t> servers(plan.arena->variables.size(), CONVOY_NONE);
  for (const plan::Operation& it : plan.body) {
    if (it.kind != plan::OperationKind::kApply) continue;
    for (std::size_t v = 0; v < servers.size(); ++v) {
      const plan::ElementRange& range = plan.arena->variables[v].range;
      const plan::PlanSpan& span = it.writes.front();
      if (range.first >= span.first && range.first < span.first + span.count)
        servers[v] = plan.buffers[span.buffer].place;
    }
  }
  return servers;
}

TEST(HostPlans, GiveVariablesToServersInOrderOfCreation) {
  const plan::ArenaMap arena = small_arena(0);  // 5 variables, created from the last one on
  const plan::Cluster cluster = plan::make_hosts({2, 1, true, "device", {2, 3}});
  StrategyUnderTest strategy("distributed_replicated");
  EXPECT_THAT(servers_by_variable(strategy.plan(cluster, arena)),
              ::testing::ElementsAre(4, 5, 4, 5, 4));
}

TEST(HostPlans, CrossTheNetworkOncePerWorkerAndVariable) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_hosts({2, 4, false, "device", {2}});
  for (const char* name : {"distributed_replicated", "parameter_server"}) {
    StrategyUnderTest strategy(name);
    const plan::Plan plan = plan::lower(strategy.plan(cluster, arena));
    std::uint64_t elements = 0;
    for (const plan::Operation& it : plan.body) {
      const plan::Place& from = cluster.places[plan.buffers[it.reads.front().buffer].place];
      if (it.writes.empty()) continue;
      const plan::Place& to = cluster.places[plan.buffers[it.writes.front().buffer].place];
      if (from.host == to.host) continue;
      EXPECT_EQ(plan::operation_name(it.kind), "copy");
      EXPECT_EQ(from.kind, std::uint32_t{CONVOY_PLACE_HOST});
      EXPECT_EQ(to.kind, std::uint32_t{CONVOY_PLACE_HOST});
      elements += it.writes.front().count;
    }
    EXPECT_EQ(elements, 2 * 2 * arena.elements) << name;  // there and back, for each worker
  }
}

TEST(HostPlans, AreRefusedWhereTheyMakeNoSense) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster one = plan::make_hosts({1, 2, true, "device", {}});
  StrategyUnderTest asynchronous("parameter_server", {{"cross_replica_sync", "false"}});
  EXPECT_THROW(asynchronous.plan(one, arena), Error);
  StrategyUnderTest replicas("distributed_replicated", {{"cross_replica_sync", "false"}});
  EXPECT_THROW(replicas.plan(one, arena), Error);
}

}  // namespace
}  // namespace convoy::testing
