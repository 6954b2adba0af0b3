#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "core/job/simulated_hardware.hpp"
#include "topology/graph/machine.hpp"

namespace convoy::job {

// The GPUs of a machine as something to simulate a run on: that with the first of these PCI
// addresses is its device 0. Rates are the catalogue's, the software is convoy's own. Error
// kUnavailable: the machine shows no such GPU, the catalogue knows no rates of one, or several
// devices share one.
SimulatedHardware gpus_of_run(topology::Machine machine, std::span<const std::string> addresses,
                              const std::filesystem::path& share);

// Opens the devices of the run for those who have to ask them before it begins; it takes them over.
void open_devices_early(Setup& setup);

// On what --variable_update=auto simulates this run: the machine's processors, or its cards in the
// order of the run's devices, which are opened for that. Error when that cannot be told.
SimulatedHardware hardware_of_run(Setup& setup);

}  // namespace convoy::job
