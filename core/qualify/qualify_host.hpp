#pragma once

#include <memory>

#include "core/job/setup.hpp"
#include "core/qualify/device_probes.hpp"
#include "core/qualify/measurement.hpp"

namespace convoy::qualify {

// Returns the constants of this machine's devices for predictions. Returns null and adds a notice
// if nothing can be predicted for them. Opens the devices of the setup.
std::unique_ptr<job::SimulatedHardware> known_hardware(job::Setup& setup,
                                                       std::vector<std::string>& notices);

// Measures this host alone: devices, cores, links, collectives, storage, decoding and training, and
// looks for reasons why they may be slow. Nothing else should run on the machine. The result is not
// judged yet. Throws Error if a device fails or the user interrupts.
HostQualification qualify_host(const ProbeTarget& target, const ProbeOptions& options);

}  // namespace convoy::qualify
