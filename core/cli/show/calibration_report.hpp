#pragma once

#include <iosfwd>

#include "core/calibrate/machine_profile.hpp"

namespace convoy {

// What was measured of a machine, as tables for people.
void print_calibration(std::ostream& out, const calibrate::MachineProfile& profile);

}  // namespace convoy
