#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/text/json.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/simulate/collectives/platform_collectives.hpp"

namespace convoy::testing {
namespace {

using simulate::CollectiveChoice;
using simulate::Protocol;

constexpr double kGigabyte = 1e9;

// Two hosts of eight cards have eight channels. NCCL's constant limits each with LL128, and what 16
// channels reach in a host of eight B200 limits each of Blackwell.
TEST(RingsBetweenHostsTest, ChannelsLimitThem) {
  const auto expect = [](const char* platform, double bytes, Protocol protocol, double rate) {
    Collectives it(platform, 2, 8);
    const CollectiveChoice choice =
        it.choose(bytes, plan::OperationKind::kAllReduce, CONVOY_ALGORITHM_RING);
    EXPECT_EQ(choice.protocol, protocol) << platform;
    EXPECT_NEAR(choice.bytes_per_second * 2 * 15 / 16, 8 * rate, 1e9) << platform;
  };
  expect("hgx-h100x8", 32 << 20, Protocol::kLl128, 36.7e9);
  expect("hgx-b200x8", 32 << 20, Protocol::kLl128, 0.92 * 42.6e9);
  expect("hgx-b200x8", 64 * kGigabyte, Protocol::kSimple, 42.6e9);
  EXPECT_NEAR(Collectives("hgx-b200x8", 1, 8).bus_rate(8 * kGigabyte, CONVOY_ALGORITHM_RING),
              16 * 42.6e9, 0.06 * 16 * 42.6e9);
}

// What large slices add was measured in hosts; between them, the steps' own latency has it.
TEST(RingsBetweenHostsTest, LatencyBetweenHostsDoesNotGrowWithTheSize) {
  Collectives it("hgx-b200x8", 2, 8);
  const auto latency = [&](double bytes) {
    return it.choose(bytes, plan::OperationKind::kAllReduce, CONVOY_ALGORITHM_RING).latency_seconds;
  };
  EXPECT_DOUBLE_EQ(latency(16 << 20), latency(32 << 20));
  EXPECT_DOUBLE_EQ(latency(16 * kGigabyte), latency(32 * kGigabyte));
}

// An all_gather has half of the steps of an all_reduce, and less than half of their latency.
TEST(RingsBetweenHostsTest, RingsOfAllReduceAloneHaveAPlateau) {
  Collectives it("hgx-h100x8", 4, 8);
  const double gather = it.choose(8 * kGigabyte, plan::OperationKind::kAllGather).latency_seconds;
  const double reduce =
      it.choose(8 * kGigabyte, plan::OperationKind::kAllReduce, CONVOY_ALGORITHM_RING)
          .latency_seconds;
  EXPECT_GT(reduce, 2.3 * gather);
}

// The H100 platform with cards that take ten milliseconds longer.
std::string slow_cards(bool in_order) {
  nlohmann::json platform =
      parse_json(std::ifstream(kShareFolder / "platforms" / "hgx-h100x8.json"));
  for (nlohmann::json& package : platform.at("packages"))
    for (nlohmann::json& bridge : package.at("host_bridges"))
      for (nlohmann::json& pci_switch : bridge.at("switches"))
        for (nlohmann::json& card : pci_switch.at("network_cards")) {
          card["step_seconds"] = {{"value", 0.01}, {"source", "a test"}};
          card["in_order"] = in_order;
        }
  const auto file = std::filesystem::path(scratch_folder("slow_cards")) / "platform.json";
  std::ofstream(file) << platform;
  return file.string();
}

// With Simple, NCCL waits for the card twice: for the bytes, and for the flush after them.
TEST(RingsBetweenHostsTest, CardsLatencyCountsTwiceWithSimple) {
  const auto latency = [](bool in_order) {
    return Collectives(slow_cards(in_order), 2, 8)
        .choose(1024, plan::OperationKind::kAllGather)
        .latency_seconds;
  };
  EXPECT_NEAR(latency(true), 0.01, 2e-4);  // LL, one step between hosts
  EXPECT_NEAR(latency(false), 2 * 0.01, 2e-4);
}

}  // namespace
}  // namespace convoy::testing
