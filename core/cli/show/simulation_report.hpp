#pragma once

#include <iosfwd>
#include <string>

#include "core/job/simulation/simulation.hpp"

namespace convoy::cli {

// Prints the header of a run, marked as simulated, for the last number of devices.
void print_simulation_header(std::ostream& out, const job::Setup& setup,
                             const job::Simulation& simulation);
// Prints total, breakdown and link loads of one prediction that fits into memory.
void print_simulated_step(std::ostream& out, const job::SimulatedRun& run);
// Prints a row per number of devices, with the speed, and with speed-up and efficiency against one
// device.
void print_scaling_table(std::ostream& out, const job::Simulation& simulation);

// Returns the whole simulation as one JSON object.
std::string simulation_json(const job::Setup& setup, const job::Simulation& simulation);

}  // namespace convoy::cli
