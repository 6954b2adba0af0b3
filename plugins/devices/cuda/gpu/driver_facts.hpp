#pragma once

#include "plugins/devices/cuda/gpu/availability.hpp"

namespace convoy::cuda {

// Asks the driver, if there is one. Never throws.
DriverFacts look_at_driver();

}  // namespace convoy::cuda
