// Executors of several hosts, each with devices, memory and a network engine of its own, over
// random plans.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "core/base/error.hpp"
#include "core/plan/host_cluster.hpp"
#include "tests/devices/fake/fake_device.hpp"
#include "tests/plan/random_plans.hpp"
#include "tests/plan/sample_gradients.hpp"
#include "tests/plan/sample_plans.hpp"
#include "tests/plan/schedule/lane_simulator.hpp"
#include "tests/runtime/plan_runner.hpp"
#include "tests/support/in_process_network.hpp"
#include "tests/support/in_process_peers.hpp"
#include "tests/support/test_engine.hpp"

namespace convoy::testing::executor_network_test {
namespace {

constexpr std::uint64_t kIterations = 4;
constexpr plan::LoweringOptions kSmallPieces{.staging_elements = 24, .slice_elements = 8};

double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// What one host ended with: nothing, an error, or the first difference to the interpreter.
std::string run_host(const plan::Plan& plan, std::uint32_t host, std::uint32_t seed,
                     InProcessNetwork& network, InProcessPeers& peers,
                     const Interpreter& expected) {
  try {
    const auto transport = network.open(host);
    runtime::NetworkEngine engine(
        options_of_task(host, network.ranks(), *transport, clock_seconds));
    const auto plugin =
        fake_plugin({.seed = seed + host, .delay_microseconds = 20, .shared_memory = true});
    PlanRunnerOptions options;
    options.lowering = kSmallPieces;
    options.host = host;
    options.network = &engine;
    PlanRunner runner(plan, *plugin, sample_options(*plan.arena, exact_gradient), options);
    runner.run(static_cast<std::int64_t>(kIterations) * plan.computes);
    peers.of(host).exchange("");  // nobody closes while others still receive
    return runner.difference(expected);
  } catch (const Error& error) {
    peers.lose(error.what());
    return error.what();
  }
}

void expect_interpreted(const plan::Plan& plan, std::uint32_t seed, const InProcessOptions& options,
                        const std::string& what) {
  const plan::Plan lowered = plan::lower(plan, kSmallPieces);
  Interpreter expected(lowered, sample_options(*plan.arena, exact_gradient));
  run_in_program_order(lowered, kIterations, expected);
  InProcessNetwork network(plan.cluster->hosts, options);
  InProcessPeers peers(plan.cluster->hosts);
  std::vector<std::string> results(plan.cluster->hosts);
  std::vector<std::thread> threads;
  for (std::uint32_t host = 0; host < plan.cluster->hosts; ++host)
    threads.emplace_back(
        [&, host] { results[host] = run_host(plan, host, seed, network, peers, expected); });
  for (std::thread& thread : threads) thread.join();
  for (std::uint32_t host = 0; host < plan.cluster->hosts; ++host)
    ASSERT_EQ(results[host], "") << what << ", host " << host;
}

// Two to five hosts, with and without parameter servers.
std::vector<plan::Cluster> clusters() {
  std::vector<plan::Cluster> result;
  for (const plan::HostsDescription& hosts : {plan::HostsDescription{2, 1, true, "fake", {}},
                                              plan::HostsDescription{2, 2, true, "fake", {2}},
                                              plan::HostsDescription{3, 1, true, "fake", {0, 3}},
                                              plan::HostsDescription{5, 1, true, "fake", {}}}) {
    result.push_back(plan::make_hosts(hosts));
    result.back().device_collectives = false;
  }
  return result;
}

TEST(ExecutorsOfSeveralHosts, FollowTheInterpreterOverRandomPlans) {
  const plan::ArenaMap arena = small_arena(32);
  const std::vector<plan::Cluster> all = clusters();
  for (std::uint32_t seed = 0; seed < 80; ++seed) {
    const plan::Plan plan = write_plan(all[seed % all.size()], arena, random_plan(seed, true));
    const InProcessOptions network{.seed = seed,
                                   .longest_delay = seed % 3 == 0 ? 300e-6 : 0,
                                   .eager = seed % 5 == 0,
                                   .descriptor = seed % 2 == 0};
    expect_interpreted(plan, seed, network, fmt::format("random plan {}", seed));
    if (HasFailure()) return;
  }
}

TEST(ExecutorsOfSeveralHosts, FollowTheInterpreterOverEverySample) {
  const plan::ArenaMap arena = small_arena(32);
  for (const plan::Cluster& cluster : clusters())
    for (const SamplePlan& sample : sample_plans()) {
      if (sample.name == "asynchronous") continue;
      expect_interpreted(write_plan(cluster, arena, sample.write), cluster.hosts, {},
                         fmt::format("{}, {} hosts", sample.name, cluster.hosts));
      if (HasFailure()) return;
    }
}

}  // namespace
}  // namespace convoy::testing::executor_network_test
