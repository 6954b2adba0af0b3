#pragma once

#include "core/job/simulated_hardware.hpp"

namespace convoy::job {

// Devices on the processors of this machine as something to simulate on, as `convoy run` with this
// plug-in and the same flags makes them: any number of devices shares its cores. Their rates are
// those of the calibration file, or nominal when there is none, and notices say so. The software is
// convoy's own. Error kUsage for a file that is damaged, of another machine, or asked for and
// missing.
SimulatedHardware this_machine_hardware(const Setup& setup, const Manifest& plugin);

}  // namespace convoy::job
