#pragma once

#include <memory>

#include "core/job/setup.hpp"
#include "core/qualify/device_probes.hpp"
#include "core/qualify/measurement.hpp"

namespace convoy::qualify {

// What is known of this machine's devices; null, and a notice, where nothing can be foreseen of
// them. Opens the devices of the setup.
std::unique_ptr<job::SimulatedHardware> known_hardware(job::Setup& setup,
                                                       std::vector<std::string>& notices);

// Measures this host alone: devices, cores, links, collectives, storage, decoding, training; and
// looks for what may make them slow. Nothing else should run on the machine. Not judged yet. Error
// when a device fails, or one is interrupted.
HostQualification qualify_host(const ProbeTarget& target, const ProbeOptions& options);

}  // namespace convoy::qualify
