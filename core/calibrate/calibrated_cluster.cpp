#include "core/calibrate/calibrated_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text/counted.hpp"
#include "core/calibrate/nominal_rates.hpp"

namespace convoy::calibrate {
namespace {

// Returns the update rate of all cores, from the team with the most devices.
double machine_update_bytes(const MachineProfile& profile) {
  double most = 0;
  for (const TeamRates& team : profile.teams)
    most = std::max(most, team.update_bytes * team.together);
  return most;
}

}  // namespace

simulate::SimulatedCluster calibrated_cluster(const MachineProfile& profile, std::uint32_t devices,
                                              std::uint32_t threads, std::uint32_t cores) {
  if (cores == 0) cores = profile.machine.cores;
  threads = threads_per_device(cores, devices, threads);
  const TeamRates& team = nearest_team(profile, threads);
  const TeamLayers& layers = nearest_layers(profile, threads);
  const double scale = double(std::min(threads, cores)) / team.threads;
  simulate::SimulatedDevice device;
  device.name = "CPU device of " + counted(threads, "thread");
  // Layers were measured with all neighbours busy; a device alone is faster.
  const double alone = layers.together > 1 ? profile.neighbour_factor : 1;
  device.flops_per_second = alone * scale * team.flops;
  device.layer_rates = std::make_shared<simulate::LayerRates>(layers.samples, team.flops,
                                                              team.stream_bytes, alone * scale);
  device.memory_bytes_per_second = scale * team.update_bytes;
  device.memory_efficiency = 1;
  device.collective_seconds = 0;
  device.kernel_seconds = profile.operation_seconds;
  device.one_engine = true;
  device.board_rates.clear();
  for (std::uint32_t busy = 1; busy <= devices; ++busy) {
    const double cores_busy = double(busy) * threads;
    const double beside = busy == 1 ? 1 : 1 / alone;
    device.board_rates.push_back(
        cores_busy > cores ? beside * cores / (cores_busy * profile.crowding_factor) : beside);
  }
  simulate::SimulatedHost host;
  host.memory_bytes_per_second = machine_update_bytes(profile);
  host.memory_bytes = profile.machine.memory_bytes;
  return simulate::make_cpu_cluster(devices, device, host);
}

}  // namespace convoy::calibrate
