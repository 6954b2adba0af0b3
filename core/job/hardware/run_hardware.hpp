#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "core/job/hardware/simulated_hardware.hpp"
#include "topology/graph/machine.hpp"

namespace convoy::job {

// Returns the GPUs of a machine, to simulate a run on them. The GPU with the first of these PCI
// addresses is device 0. Rates come from the catalogue; the software is convoy's own. Error
// kUnavailable if the machine shows no such GPU, if the catalogue has no rates of one, or if
// several devices share one.
SimulatedHardware gpus_of_run(topology::Machine machine, std::span<const std::string> addresses,
                              const std::filesystem::path& share);

// Opens the devices before the run begins, for callers that need to query them. The run uses them,
// too.
void open_devices_early(Setup& setup);

// Returns the hardware on which --variable_update=auto simulates this run: the machine's
// processors, or its GPUs in the order of the run's devices, which are opened for that. Error if it
// is unknown.
SimulatedHardware hardware_of_run(Setup& setup);

// Calls `find` for a run that can go on without the hardware. Returns nothing, and gives the reason
// to `tell`, if the hardware's speed is unknown or its calibration cannot be used. The latter is an
// Error only if the user named the calibration.
std::optional<SimulatedHardware> if_known(Setup& setup, SimulatedHardware (*find)(Setup&),
                                          const std::function<void(const std::string&)>& tell);

}  // namespace convoy::job
