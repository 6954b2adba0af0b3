#pragma once

#include "core/calibrate/machine_profile.hpp"
#include "core/calibrate/vector_size.hpp"
#include "core/runtime/open_devices.hpp"

namespace convoy::calibrate {

// How long what is measured may take.
struct ProbeSize {
  VectorBounds vectors;
  int repetitions = 2;  // of which the median counts
};

// What every one of the devices reaches when all of them do the same; products, which take long, on
// demand.
TeamRates probe_team(runtime::OpenDevices& devices, const ProbeSize& size, bool multiply);

// For two devices and more.
SharedRates probe_shared(runtime::OpenDevices& devices, const ProbeSize& size);

// Copies between memory of the host and of devices, and from device to device.
std::vector<PathRate> probe_paths(runtime::OpenDevices& devices, const ProbeSize& size);

// What an operation costs besides its bytes: a chain of the smallest ones on the first device.
double probe_operation(runtime::OpenDevices& devices);

}  // namespace convoy::calibrate
