#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/calibrate/processor_facts.hpp"
#include "core/simulate/layers/layer_rates.hpp"

namespace convoy::calibrate {

// Identifies the measured machine. Measurements hold for a machine if all fields but the memory are
// the same. The size of the memory that a system reports may change when it, or the host of a
// virtual machine, starts again, and no rate depends on it.
struct Fingerprint {
  std::string processor;
  std::uint32_t cores = 0;
  std::uint64_t memory_bytes = 0;
  std::string instructions;
  std::string device;  // the device plug-in's name and version, "cpu 1.0"
};

Fingerprint make_fingerprint(const ProcessorFacts& facts, const std::string& device);
// Describes the difference between a file's machine and this one, for people. Empty if the file's
// measurements hold here.
std::string difference(const Fingerprint& file, const Fingerprint& here);

// The rates of each of `together` devices that work at the same time. Rates are per second and
// device. Bytes are read and written bytes.
struct TeamRates {
  std::uint32_t threads = 1;   // per device
  std::uint32_t together = 1;  // devices that work at once
  double flops = 0;            // f32 matrix product
  double stream_bytes = 0;     // c = a + b on vectors that no cache holds
  double update_bytes = 0;     // sum of two gradients and the optimizer's update
};

// The rates of devices while the first one updates and all others multiply matrices.
struct SharedRates {
  double update_bytes = 0;  // of the first device
  double flops = 0;         // of each other device
};

// The rate of copies from one class of memory to another: of a single device, and of each device
// when all copy at once.
struct PathRate {
  std::string from;  // "host", "device"
  std::string to;
  double alone_bytes = 0;  // copied per second, counted once
  double together_bytes = 0;
};

// The times of layers on each device when so many devices compute at once.
struct TeamLayers {
  std::uint32_t threads = 1;
  std::uint32_t together = 1;
  std::vector<simulate::LayerSample> samples;
};

// The measured and the predicted step of a network that was not used to measure layers.
struct CheckedStep {
  std::uint32_t devices = 1;
  double predicted_seconds = 0;
  double measured_seconds = 0;
};

// All measurements of a machine. They do not depend on models or strategies: layers are described
// by their shapes.
struct MachineProfile {
  Fingerprint machine;
  std::string created;           // date and time, for people
  double operation_seconds = 0;  // the cost of an operation of a plan in the executor
  // The time of a layer while the devices of other cores compute, divided by its time while they
  // are idle.
  double neighbour_factor = 1;
  // The time of a layer with two devices per core, divided by twice its time with one device per
  // core.
  double crowding_factor = 1;
  std::vector<TeamRates> teams;  // at least one; the team with the most threads first
  SharedRates shared;
  std::vector<PathRate> paths;
  std::vector<TeamLayers> layers;   // at least one
  std::vector<CheckedStep> checks;  // at least one
  // Only small layers were measured, and GFLOP/s of teams are the processor's nominal ones.
  bool quick = false;
  std::vector<std::string> left_out;  // networks for which time or memory was lacking, for people
  // The part of all cores' time that other programs took meanwhile. Empty if the system does not
  // count it.
  std::optional<double> disturbance;
};

// Returns the mean relative error of the checks.
double known_error(const MachineProfile& profile);
// If other programs took this part of the cores' time, the rates may be too low.
inline constexpr double kMuchDisturbed = 0.03;
bool much_disturbed(const MachineProfile& profile);
// The least error to expect after a quick calibration, whose checks are as small as what it
// measured.
inline constexpr double kQuickError = 1;
// Returns the relative error to expect of predictions: the error of the checks, but at least the
// part of the cores' time that other programs took during the calibration, and
// kQuickError if that was quick.
double expected_error(const MachineProfile& profile);
// Says for people how far to trust the profile: "its checks were 7.5 % off".
std::string trust_text(const MachineProfile& profile);

// Returns the entry with the most similar number of threads.
const TeamRates& nearest_team(const MachineProfile& profile, std::uint32_t threads);
const TeamLayers& nearest_layers(const MachineProfile& profile, std::uint32_t threads);

}  // namespace convoy::calibrate
