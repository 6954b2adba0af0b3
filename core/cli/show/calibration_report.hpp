#pragma once

#include <iosfwd>

#include "core/calibrate/machine_profile.hpp"

namespace convoy::cli {

// Prints the measurements of a machine as tables.
void print_calibration(std::ostream& out, const calibrate::MachineProfile& profile);

}  // namespace convoy::cli
