#pragma once

#include "core/job/hardware/simulated_hardware.hpp"

namespace convoy::job {

// Returns the devices that `convoy run` with this plug-in and the same flags would have on this
// machine's processors, to simulate on them. Any number of devices shares the cores. Rates are from
// the calibration file, or nominal if there is none, and a notice says so. The software is convoy's
// own. Error kUsage for a calibration file that is damaged, belongs to another machine, or is
// requested and missing.
SimulatedHardware this_machine_hardware(const JobOptions& options, const plugin::Manifest& plugin);

// Error kUsage for a calibration file that is requested and is missing or not a calibration.
void require_calibration(const JobOptions& options);

}  // namespace convoy::job
