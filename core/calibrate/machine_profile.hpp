#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/calibrate/processor_facts.hpp"
#include "core/simulate/layers/layer_rates.hpp"

namespace convoy::calibrate {

// Which machine was measured. All but the memory must be the same for measurements to hold: how
// much of it a system reports changes when it, or the host of a virtual machine, starts again, and
// no rate depends on it.
struct Fingerprint {
  std::string processor;
  std::uint32_t cores = 0;
  std::uint64_t memory_bytes = 0;
  std::string instructions;
  std::string device;  // the device plug-in's name and version, "cpu 1.0"
};

Fingerprint make_fingerprint(const ProcessorFacts& facts, const std::string& device);
// What differs between a file's machine and this one, for people; empty when its measurements hold.
std::string difference(const Fingerprint& file, const Fingerprint& here);

// What each of so many devices reaches when all of them work at once. Rates are per second and
// device; bytes are those read and written.
struct TeamRates {
  std::uint32_t threads = 1;   // per device
  std::uint32_t together = 1;  // devices
  double flops = 0;            // f32 matrix product
  double stream_bytes = 0;     // c = a + b on vectors that no cache holds
  double update_bytes = 0;     // sum of two gradients and the optimizer's update
};

// What devices reach while the first one updates and all others multiply matrices.
struct SharedRates {
  double update_bytes = 0;  // the first one's
  double flops = 0;         // the others'
};

// Copies from one class of memory to another: alone, and all devices at once, each.
struct PathRate {
  std::string from;  // "host", "device"
  std::string to;
  double alone_bytes = 0;  // copied per second, counted once
  double together_bytes = 0;
};

// Layers as each of so many devices computes them when all do.
struct TeamLayers {
  std::uint32_t threads = 1;
  std::uint32_t together = 1;
  std::vector<simulate::LayerSample> samples;
};

// The step of a network that no layer was measured with, beside what was foretold of it.
struct CheckedStep {
  std::uint32_t devices = 1;
  double predicted_seconds = 0;
  double measured_seconds = 0;
};

// All that was measured of a machine. Nothing in it knows of models or strategies: layers are
// shapes.
struct MachineProfile {
  Fingerprint machine;
  std::string created;           // date and time, for people
  double operation_seconds = 0;  // of the executor, per operation of a plan
  // Time of a layer while the other cores' devices compute too, over that when they are idle.
  double neighbour_factor = 1;
  // A layer's time with two devices per core, over twice its time with one per core.
  double crowding_factor = 1;
  std::vector<TeamRates> teams;  // at least one; the largest team first
  SharedRates shared;
  std::vector<PathRate> paths;
  std::vector<TeamLayers> layers;     // at least one
  std::vector<CheckedStep> checks;    // at least one
  std::vector<std::string> left_out;  // what there was no time for, for people
  // Part of all cores' time that others took meanwhile; nothing where the system does not tell.
  std::optional<double> disturbance;
};

// Mean relative error of what was checked.
double known_error(const MachineProfile& profile);
// Others took so much of the cores' time that rates may be too low.
inline constexpr double kMuchDisturbed = 0.03;
bool much_disturbed(const MachineProfile& profile);
// Relative error to expect of predictions: the error of the checks, but at least the share of the
// cores' time that other programs took during the calibration.
double expected_error(const MachineProfile& profile);
// How far to trust the profile, for people: "its checks were 7.5 % off".
std::string trust_text(const MachineProfile& profile);

// The entry with the most similar number of threads.
const TeamRates& nearest_team(const MachineProfile& profile, std::uint32_t threads);
const TeamLayers& nearest_layers(const MachineProfile& profile, std::uint32_t threads);

}  // namespace convoy::calibrate
