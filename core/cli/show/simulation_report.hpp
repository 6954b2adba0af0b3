#pragma once

#include <iosfwd>
#include <string>

#include "core/job/simulation/simulation.hpp"

namespace convoy::cli {

// The header of a run, marked simulated, for the last number of devices.
void print_simulation_header(std::ostream& out, const job::Setup& setup,
                             const job::Simulation& simulation);
// Total, breakdown and link loads of one prediction that fits.
void print_simulated_step(std::ostream& out, const job::SimulatedRun& run);
// A row per number of devices: speed, speed-up and efficiency against one device's rate.
void print_scaling_table(std::ostream& out, const job::Simulation& simulation);

// All of it as one JSON object.
std::string simulation_json(const job::Setup& setup, const job::Simulation& simulation);

}  // namespace convoy::cli
