#include "core/calibrate/calibrated_cluster.hpp"

#include <gtest/gtest.h>

#include "core/simulate/layers/layer_times.hpp"
#include "tests/calibrate/profiles.hpp"

namespace convoy::calibrate {
namespace {

constexpr std::uint32_t kBatch = 4;

double layer_seconds(const simulate::SimulatedCluster& cluster) {
  return simulate::layer_times(two_convolutions(), kBatch, cluster.machine.devices.front())
      .seconds();
}

TEST(CalibratedClusterTest, OneDeviceTakesTheTimesOfTheLargestTeam) {
  const MachineProfile profile = small_profile();
  const auto cluster = calibrated_cluster(profile, 1, 0);
  double measured = 0;
  for (const auto& sample : profile.layers[0].samples) {
    const bool first_data =
        sample.pass == CONVOY_PASS_BACKWARD_DATA && sample.shape.producer == CONVOY_LAYER_INPUT;
    const bool no_weights = sample.pass == CONVOY_PASS_BACKWARD_WEIGHTS && sample.work.flops == 0;
    if (!first_data && !no_weights) measured += sample.seconds;
  }
  EXPECT_NEAR(layer_seconds(cluster), measured, 1e-9 * measured);
}

TEST(CalibratedClusterTest, NeighboursSlowADeviceByWhatWasMeasured) {
  const MachineProfile profile = small_profile();
  const auto cluster = calibrated_cluster(profile, 2, 0);
  const simulate::SimulatedDevice& device = cluster.machine.devices.front();
  ASSERT_EQ(device.board_rates.size(), 2u);
  EXPECT_DOUBLE_EQ(device.board_rates[0], 1);
  // The samples of one thread were taken with a neighbour: both together are what was measured.
  const double beside = layer_seconds(cluster) / device.board_rates[1];
  EXPECT_NEAR(beside / layer_seconds(calibrated_cluster(profile, 1, 0)), 2, 0.01);
  EXPECT_NEAR(device.board_rates[1], 1 / profile.neighbour_factor, 1e-12);
}

TEST(CalibratedClusterTest, MoreDevicesThanCoresShareThem) {
  const MachineProfile profile = small_profile();
  const std::vector<double> rates =
      calibrated_cluster(profile, 4, 0).machine.devices.front().board_rates;
  ASSERT_EQ(rates.size(), 4u);
  EXPECT_DOUBLE_EQ(rates[0], 1);
  EXPECT_NEAR(rates[1], 1 / profile.neighbour_factor, 1e-12);
  EXPECT_NEAR(rates[3], rates[1] / 2 / profile.crowding_factor, 1e-12);
}

TEST(CalibratedClusterTest, MemoryIsWhatAllDevicesReachTogether) {
  const auto cluster = calibrated_cluster(small_profile(), 2, 0);
  EXPECT_DOUBLE_EQ(cluster.machine.links.front().bytes_per_second, 18e9);
  EXPECT_DOUBLE_EQ(cluster.machine.devices.front().memory_bytes_per_second, 9e9);
}

}  // namespace
}  // namespace convoy::calibrate
