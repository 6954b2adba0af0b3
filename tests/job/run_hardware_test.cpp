// --variable_update=auto on GPUs, as far as that needs none: the machine is a described one.
#include "core/job/run_hardware.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "core/base/error.hpp"
#include "core/job/auto_choice.hpp"
#include "core/job/decision_key.hpp"
#include "core/plugin/search_path.hpp"
#include "tests/topology/machine_texts.hpp"
#include "topology/graph/graph_edit.hpp"
#include "topology/read/read_machine.hpp"

namespace convoy::job {
namespace {

using ::testing::HasSubstr;

std::filesystem::path share() {
  return share_directory();
}

topology::Machine power8() {
  return topology::parse_machine(topology::power8_xml("2.0"), "power8.xml");
}

// As the driver says them.
std::vector<std::string> gpu_addresses(const topology::Machine& machine) {
  std::vector<std::string> texts;
  for (const std::size_t gpu : topology::nodes_of(machine, topology::NodeKind::gpu))
    texts.push_back(topology::format_pci_address(*machine.nodes[gpu].address));
  return texts;
}

std::string refusal(const topology::Machine& machine, const std::vector<std::string>& addresses) {
  try {
    gpus_of_run(machine, addresses, share());
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUnavailable);
    return error.what();
  }
  return "";
}

Decision choose(const SimulatedHardware& hardware, std::uint32_t devices) {
  Decision decision;
  JobOptions options;
  options.model = "lenet";
  set_up_imagined_run(options, installed_plugins(CONVOY_OWN_PLUGINS), {},
                      [&](const Setup& setup) {
                        const ChoiceSubject subject{1, devices, 32};
                        decision = choose_by_simulation(setup, hardware, subject,
                                                        rank_strategies(setup, hardware, subject));
                        return decision;
                      },
                      {});
  return decision;
}

TEST(RunHardware, SimulatesOnTheGpusThatARunHas) {
  const topology::Machine machine = power8();
  const std::vector<std::string> addresses = gpu_addresses(machine);
  ASSERT_EQ(addresses.size(), 4u);
  const SimulatedHardware all = gpus_of_run(machine, addresses, share());
  EXPECT_EQ(all.most_devices, 4u);
  const Decision decision = choose(all, 4);
  EXPECT_EQ(decision.origin, DecisionOrigin::kSimulated);
  EXPECT_GT(decision.step_seconds, 0);
  EXPECT_GT(decision.compared, 5u);
  EXPECT_THAT(decision_line(decision), HasSubstr("simulated on 4 devices of power8.xml"));
}

// GPUs 0 and 1 are joined by NVLink, 0 and 2 are on different sockets.
TEST(RunHardware, TheOrderOfTheDevicesIsThatOfTheRun) {
  const topology::Machine machine = power8();
  const std::vector<std::string> addresses = gpu_addresses(machine);
  const auto peers = [&](std::size_t a, std::size_t b) -> bool {  // no reference to a bit
    const std::vector<std::string> order = {addresses[a], addresses[b]};
    return gpus_of_run(machine, order, share()).cluster(1, 2).cluster.access[0][1];
  };
  EXPECT_TRUE(peers(0, 1));
  EXPECT_TRUE(peers(3, 2));
  EXPECT_FALSE(peers(0, 2));
  EXPECT_FALSE(peers(3, 0));
}

// The same devices among the same links are another machine where they are joined otherwise.
TEST(DecisionKey, TellsApartDevicesThatAreJoinedInAnotherWay) {
  const topology::Machine machine = power8();
  const std::vector<std::string> addresses = gpu_addresses(machine);
  JobOptions options;
  options.model = "lenet";
  options.device = "cpu";
  options.variable_update = "independent";
  const job::Setup setup = set_up_imagined_run(options, installed_plugins(CONVOY_OWN_PLUGINS),
                                               {.of_this_machine = true}, {}, {});
  const auto key = [&](const std::function<void(simulate::SimulatedCluster&)>& change) {
    SimulatedHardware hardware = gpus_of_run(machine, addresses, share());
    hardware.cluster = [&change, as_is = hardware.cluster](std::uint32_t hosts, std::uint32_t n) {
      simulate::SimulatedCluster on = as_is(hosts, n);
      change(on);
      return on;
    };
    return decision_key(setup, hardware, {1, 4, 32});
  };
  const std::string same = key([](auto&) {});
  EXPECT_EQ(key([](auto&) {}), same);
  EXPECT_NE(key([](auto& on) { on.cluster.access[0][1] = !on.cluster.access[0][1]; }), same);
  EXPECT_NE(key([](auto& on) {
              on.cluster.route = [](std::uint32_t, std::uint32_t) { return Route{}; };
            }),
            same);
  EXPECT_NE(key([](auto& on) { on.cluster.joins_updates = !on.cluster.joins_updates; }), same);
  EXPECT_NE(key([](auto& on) { on.machine.links[0].latency_seconds += 1e-6; }), same);
}

TEST(RunHardware, SaysWhyItCannotSimulate) {
  const topology::Machine machine = power8();
  const std::vector<std::string> addresses = gpu_addresses(machine);
  EXPECT_THAT(refusal(machine, {"0000:77:00.0"}), HasSubstr("shows no GPU at 0000:77:00.0"));
  EXPECT_THAT(refusal(machine, {addresses[0], addresses[0]}), HasSubstr("several devices"));
  EXPECT_THAT(refusal(machine, {"somewhere"}), HasSubstr("'somewhere'"));
  topology::Machine unknown = machine;
  for (topology::Node& node : unknown.nodes)
    if (node.kind == topology::NodeKind::gpu) {
      node.id = topology::PciId{0x10de, 0xffff};
      node.model = "GPU of tomorrow";
    }
  EXPECT_THAT(refusal(unknown, addresses), HasSubstr("10de:ffff"));
}

}  // namespace
}  // namespace convoy::job
