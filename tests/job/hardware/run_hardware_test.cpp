// --variable_update=auto on GPUs, as far as that needs none: the machine is a described one.
#include "core/job/hardware/run_hardware.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "core/base/error.hpp"
#include "core/job/auto/auto_choice.hpp"
#include "core/job/auto/decision_key.hpp"
#include "core/plugin/search_path.hpp"
#include "core/simulate/layers/layer_rates.hpp"
#include "tests/sanitized.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/topology/machine_texts.hpp"
#include "topology/graph/graph_edit.hpp"
#include "topology/read/read_machine.hpp"

namespace convoy::job {
namespace {

using select::Decision;
using ::testing::HasSubstr;

std::filesystem::path share() {
  return plugin::share_directory();
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
  set_up_dry_run(options, plugin::installed_plugins(CONVOY_OWN_PLUGINS), {},
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
  EXPECT_DOUBLE_EQ(all.known_error, kUnmeasuredError);
  EXPECT_DOUBLE_EQ(all.error_of_one(), kUnmeasuredErrorOfOne);
  const std::uint32_t devices = kSanitized ? 2 : 4;
  const Decision decision = choose(all, devices);
  EXPECT_EQ(decision.origin, select::DecisionOrigin::kSimulated);
  EXPECT_GT(decision.step_seconds, 0);
  EXPECT_GT(decision.compared, 5u);
  EXPECT_THAT(select::decision_line(decision),
              HasSubstr("simulated on " + std::to_string(devices) + " devices of power8.xml"));
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

class DecisionKey : public ::testing::Test {
 protected:
  using Change = std::function<void(simulate::SimulatedCluster&)>;

  DecisionKey() : setup_(set_up()) {}
  static job::Setup set_up() {
    JobOptions options;
    options.model = "lenet";
    options.device = "cpu";
    options.variable_update = "independent";
    return set_up_dry_run(options, plugin::installed_plugins(CONVOY_OWN_PLUGINS),
                          {.of_this_machine = true}, {}, {});
  }
  std::string key(const Change& change) const {
    SimulatedHardware hardware = gpus_of_run(machine_, gpu_addresses(machine_), share());
    hardware.cluster = [&change, as_is = hardware.cluster](std::uint32_t hosts, std::uint32_t n) {
      simulate::SimulatedCluster on = as_is(hosts, n);
      change(on);
      return on;
    };
    return decision_key(setup_, hardware, {1, 4, 32}, SystemRoot(root_));
  }
  std::string same() const {
    return key([](auto&) {});
  }

  topology::Machine machine_ = power8();
  job::Setup setup_;
  std::filesystem::path root_ = scratch_folder("system");
};

// The same devices among the same links are another machine where they are joined otherwise.
TEST_F(DecisionKey, TellsApartDevicesThatAreJoinedInAnotherWay) {
  EXPECT_EQ(same(), same());
  const auto differs = [this](const Change& change) { return key(change) != same(); };
  EXPECT_TRUE(differs([](auto& on) { on.cluster.access[0][1] = !on.cluster.access[0][1]; }));
  EXPECT_TRUE(differs([](auto& on) {
    on.cluster.route = [](std::uint32_t, std::uint32_t) { return plan::Route{}; };
  }));
  EXPECT_TRUE(differs([](auto& on) { on.cluster.joins_updates = !on.cluster.joins_updates; }));
  EXPECT_TRUE(differs([](auto& on) {
    on.machine.paths = [](std::uint32_t, std::uint32_t) { return simulate::Path{}; };
  }));
  EXPECT_TRUE(differs([](auto& on) { on.machine.near_memory = [](std::uint32_t) { return 7u; }; }));
  EXPECT_TRUE(
      differs([](auto& on) { on.machine.has_near_card = [](std::uint32_t) { return false; }; }));
}

TEST_F(DecisionKey, TellsApartConstantsOfDevicesHostsAndLinks) {
  const std::vector<Change> changes = {
      [](auto& on) { on.machine.devices[0].tf32_flops_per_second += 1e12; },
      [](auto& on) { on.machine.devices[0].generation = "another"; },
      [](auto& on) { on.machine.links[0].latency_seconds += 1e-6; },
      [](auto& on) { on.machine.links[0].raw_bytes_per_second += 1e9; },
      [](auto& on) { on.machine.links[0].bricks += 1; },
      [](auto& on) { on.machine.links[0].in_order = !on.machine.links[0].in_order; },
      [](auto& on) { on.machine.links[0].joins_sockets = !on.machine.links[0].joins_sockets; },
      [](auto& on) { on.machine.links[0].wire = simulate::Wire::kNvswitch; },
      [](auto& on) { on.machine.hosts[0].pcie_hop_seconds *= 2; },
      [](auto& on) { on.machine.hosts[0].root_overhead *= 2; },
      [](auto& on) { on.machine.hosts[0].peers_over_root += 2; },
      [](auto& on) { on.machine.hosts[0].input_cores += 1; },
      [](auto& on) { on.machine.places[0].memory_bytes += 1; },
      [](auto& on) { on.machine.places[0].board = 77; },
      [](auto& on) { on.machine.network_reduces = !on.machine.network_reduces; }};
  for (std::size_t i = 0; i < changes.size(); ++i) EXPECT_NE(key(changes[i]), same()) << i;
}

// A calibration that measured other times of layers, with the same peak rates.
TEST_F(DecisionKey, TellsApartMeasuredTimesOfLayers) {
  const auto measured = [this](double seconds, std::uint32_t batch, double speed) {
    return key([=](auto& on) {
      const simulate::LayerSample sample{{.kind = CONVOY_LAYER_CONVOLUTION, .batch = batch},
                                         CONVOY_PASS_FORWARD,
                                         {1e9, 1e6},
                                         seconds};
      on.machine.devices[0].layer_rates = std::make_shared<simulate::LayerRates>(
          std::vector<simulate::LayerSample>{sample}, 200e9, 20e9, speed);
    });
  };
  EXPECT_EQ(measured(1, 4, 1), measured(1, 4, 1));
  EXPECT_NE(measured(1, 4, 1), same());
  EXPECT_NE(measured(1, 4, 1), measured(2, 4, 1));
  EXPECT_NE(measured(1, 4, 1), measured(1, 8, 1));
  EXPECT_NE(measured(1, 4, 1), measured(1, 4, 2));
}

TEST_F(DecisionKey, TellsApartDevicesAndTheirDriver) {
  const std::string before = same();
  std::filesystem::create_directories(root_ / "proc/driver/nvidia");
  std::ofstream(root_ / "proc/driver/nvidia/version") << "NVRM version: 535.104.05";
  const std::string with_driver = same();
  EXPECT_NE(with_driver, before);
  open_devices_early(setup_);
  EXPECT_NE(same(), with_driver);
  EXPECT_THAT(same(), HasSubstr("\ncpu:0 "));
}

// Buckets of any size were compared without the flag; with 0 there is one bucket.
TEST_F(DecisionKey, TellsApartBucketsThatAreGivenAndThoseThatAreNot) {
  const std::string without = same();
  setup_.options.bucket_mb = 0;
  const std::string one_bucket = same();
  EXPECT_NE(one_bucket, without);
  setup_.options.bucket_mb = 4;
  EXPECT_NE(same(), one_bucket);
}

TEST_F(DecisionKey, NamesTheDataThatTheSimulatorReads) {
  for (const char* file : {"profiles/convoy.json", "catalogue/collectives.json", "rules.json"})
    EXPECT_THAT(same(), HasSubstr(file));
  EXPECT_EQ(same().find(" ?\n"), std::string::npos) << "a file is not there";
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
