#include "core/simulate/simulate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/plan/lower/lower.hpp"
#include "tests/plan/sample_plans.hpp"
#include "tests/simulate/hand_machine.hpp"

namespace convoy::testing {
namespace {

constexpr std::uint64_t kCount = 250'000;  // elements of the one segment: 1 MB

simulate::SimulationOptions observed_options() {
  simulate::SimulationOptions options;
  options.software = free_software();
  options.keep_operations = true;
  return options;
}

struct Observed {
  simulate::SimulationResult result;
  std::vector<double> copies;  // seconds of each
};

// 1 ms forward, 2 ms backward.
Observed observe(const HandMachine& hand, const WritePlan& write,
                 const simulate::SimulationOptions& options) {
  const plan::ArenaMap arena = equal_arena(1, kCount);
  const plan::Plan plan = plan::lower(write_plan(hand.cluster, arena, write));
  Observed it;
  it.result = simulate::simulate(plan, hand.machine, {equal_layers(1, 1e-3, 2e-3)}, options);
  for (const simulate::SimulatedOperation& operation : it.result.operations)
    if (plan.body[operation.operation].kind == plan::OperationKind::kCopy)
      it.copies.push_back(operation.end - operation.start);
  return it;
}

TEST(SimulatedSoftwareTest, HostsMayGoOverTheirImagesBeforeDevicesStart) {
  const HandMachine hand = hand_machine(1, 2, true);
  simulate::SimulationOptions options = observed_options();
  options.input = {32, 1000};
  options.software.step_barrier = true;
  options.software.input_pass_bytes_per_second = 64e6;  // 1 ms for the images of both devices
  const Observed it = observe(hand, write_independent, options);
  EXPECT_NEAR(it.result.step_seconds, 4e-3, 1e-5);  // updates come on top
}

// 0.3 MB cross while the devices compute for 3 ms, the rest at the full rate.
TEST(SimulatedSoftwareTest, MessagesBetweenHostsAreSlowWhileDevicesCompute) {
  const HandMachine hand = hand_machine(2, 1, true, {.network = 2e9});
  simulate::SimulationOptions options = observed_options();
  options.software.step_barrier = true;
  options.software.rpc_bytes_per_second = 1e9;
  options.software.network_progress = 0.1;
  const auto pull_and_compute = [](Planner& p) {
    const Buffer pulled = p.scratch(p.host_place(ReplicaId(1)), kCount);
    p.copy(pulled, p.master(p.host_place(ReplicaId(0)))[p.arena()]);
    p.compute();
  };
  const Observed it = observe(hand, pull_and_compute, options);
  ASSERT_EQ(it.copies.size(), 1u);
  EXPECT_NEAR(it.copies.front(), 3.7e-3, 1e-8);
}

// Every host fetches from all others, in one order. In lockstep, eight would send while all others
// wait, because a host receives from eight at a time.
TEST(SimulatedSoftwareTest, HostsDoNotFetchInLockstep) {
  constexpr std::uint32_t kHosts = 64;
  const HandMachine hand = hand_machine(kHosts, 1, true);
  simulate::SimulationOptions options = observed_options();
  options.software.rpc_seconds = 10e-6;
  const auto fetch_all = [](Planner& p) {
    for (std::uint32_t host = 0; host < kHosts; ++host)
      for (std::uint32_t server = 0; server < kHosts; ++server)
        if (server != host)
          p.copy(p.scratch(p.host_place(ReplicaId(host)), kCount),
                 p.master(p.host_place(ReplicaId(server)))[p.arena()]);
    p.compute();
  };
  const Observed it = observe(hand, fetch_all, options);
  const double alone = 4.0 * kCount * (kHosts - 1) / HandRates().network;
  EXPECT_LT(it.result.step_seconds, 4 * alone);
}

TEST(SimulatedSoftwareTest, CopiesThroughTheHostCrossTheSocketsBetweenTheirDevices) {
  HandMachine hand = hand_machine(1, 2, false);
  const auto socket = static_cast<std::uint32_t>(hand.machine.links.size());
  hand.machine.links.push_back({"socket", 1e9, false, true});
  hand.machine.paths = [paths = hand.machine.paths, socket](std::uint32_t from, std::uint32_t to) {
    simulate::Path path = paths(from, to);
    if (from < 2 && to < 2 && from != to) path.links.push_back(socket);
    return path;
  };
  const auto send = [](Planner& p) {
    p.compute();
    p.copy(p.gradient(ReplicaId(1))[p.arena()], p.gradient(ReplicaId(0))[p.arena()]);
  };
  const Observed it = observe(hand, send, observed_options());
  const auto& links = it.result.links;
  const auto load = std::find_if(links.begin(), links.end(),
                                 [&](const auto& link) { return link.link == socket; });
  ASSERT_NE(load, links.end());
  EXPECT_NEAR(load->bytes, 1e6, 1);
}

}  // namespace
}  // namespace convoy::testing
