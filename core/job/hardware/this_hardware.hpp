#pragma once

#include "core/job/hardware/simulated_hardware.hpp"

namespace convoy::job {

// The devices that `convoy run` with this plug-in and the same flags would have on the processors
// of this machine, to simulate on them; any number of devices shares the cores. Rates are from the
// calibration file, or nominal if there is none, which a notice says. The software is convoy's own.
// Error kUsage for a calibration file that is damaged, for another machine, or requested and
// missing.
SimulatedHardware this_machine_hardware(const JobOptions& options, const plugin::Manifest& plugin);

// Error kUsage for a calibration file that is requested and missing, or no calibration.
void require_calibration(const JobOptions& options);

}  // namespace convoy::job
