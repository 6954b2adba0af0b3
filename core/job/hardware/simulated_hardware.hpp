#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/job/setup.hpp"
#include "core/simulate/machine/constants.hpp"
#include "core/simulate/machine/machine_builder.hpp"

namespace convoy::job {

// The relative error of predictions for machines whose rates were not measured: first for the
// comparison of strategies, then for a single prediction.
constexpr double kUnmeasuredError = 0.25;
constexpr double kUnmeasuredErrorOfOne = 0.5;

// The origin of layers' times on described machines, for people. The errors are those of
// tests/simulate/single_device_rates.json. There are no published rates of other GPUs to compare
// with.
inline constexpr const char* kRoofline =
    "roofline of the device's peaks, uncertain: 13 % off in the mean, up to 40 %, of NVIDIA's GPUs "
    "from Pascal to Ada; others were not compared";

// The machine that the options describe: its clusters, with any number of hosts and devices, and
// its software.
struct SimulatedHardware {
  std::string name;                 // for people
  bool on_host_processors = false;  // its devices share this machine's processors
  std::uint32_t hosts = 1;
  std::uint32_t most_devices = 1;  // per host
  std::function<simulate::SimulatedCluster(std::uint32_t hosts, std::uint32_t devices_per_host)>
      cluster;
  // Threads of each device when `devices` CPU devices share this machine; empty if its devices are
  // not on this machine's processors.
  std::function<std::uint32_t(std::uint32_t devices)> threads;
  simulate::SoftwareProfile software;
  std::string rates;                 // the origin of layers' times, for people
  std::vector<std::string> notices;  // for standard error
  bool of_this_machine = false;      // plans query its devices if they can be opened
  bool calibrated = false;           // its constants were measured on the machine itself
  double known_error = 0;            // mean relative error of predictions, if it is known

  // Returns the error of a single prediction that is not compared with others.
  double error_of_one() const {
    return known_error == kUnmeasuredError ? kUnmeasuredErrorOfOne : known_error;
  }
};

// Error kUsage if a platform, file or software does not exist. The error lists those that do.
SimulatedHardware choose_simulated_hardware(const Setup& setup);

}  // namespace convoy::job
