#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/cli/run_setup.hpp"
#include "core/simulate/constants.hpp"
#include "core/simulate/machine_builder.hpp"

namespace convoy {

// The flags that say on what `convoy simulate` imagines a run.
std::vector<FlagDefinition> simulation_flags();

// What those flags mean: clusters of any number of devices per host, and the software.
struct SimulatedHardware {
  std::string name;    // for people
  std::string device;  // "cuda", "cpu"
  std::uint32_t hosts = 1;
  std::uint32_t most_devices = 1;  // per host
  std::function<simulate::SimulatedCluster(std::uint32_t hosts, std::uint32_t devices_per_host)>
      cluster;
  simulate::SoftwareProfile software;
  std::string rates;                 // where layers' times come from, for people
  std::vector<std::string> notices;  // for standard error
};

// The kind of the devices that the command line asks for, before anything is loaded.
std::string simulated_device(std::span<const std::string> arguments);

// Error kUsage for a platform, file or software that does not exist, saying which do.
SimulatedHardware choose_simulated_hardware(const RunSetup& setup);

}  // namespace convoy
