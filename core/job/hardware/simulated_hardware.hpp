#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/job/setup.hpp"
#include "core/simulate/machine/constants.hpp"
#include "core/simulate/machine/machine_builder.hpp"

namespace convoy::job {

// The relative error of predictions for machines whose rates were not measured: where strategies
// are compared, and of a single prediction.
constexpr double kUnmeasuredError = 0.25;
constexpr double kUnmeasuredErrorOfOne = 0.5;

// Where the layers' times of described machines come from, for people. The errors are those of
// tests/simulate/single_device_rates.json; no rates of other GPUs are there to compare with.
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
  // Of each of so many devices on this machine's processors; empty: it has none of these.
  std::function<std::uint32_t(std::uint32_t devices)> threads;
  simulate::SoftwareProfile software;
  std::string rates;                 // where layers' times come from, for people
  std::vector<std::string> notices;  // for standard error
  bool of_this_machine = false;      // plans ask its devices, where they can be opened
  bool calibrated = false;           // its constants were measured on the machine itself
  double known_error = 0;            // mean relative error of predictions, where one is known

  // The error of a single prediction, which is not compared with others.
  double error_of_one() const {
    return known_error == kUnmeasuredError ? kUnmeasuredErrorOfOne : known_error;
  }
};

// Error kUsage for a platform, file or software that does not exist, saying which do.
SimulatedHardware choose_simulated_hardware(const Setup& setup);

}  // namespace convoy::job
