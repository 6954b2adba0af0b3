#pragma once

#include "core/calibrate/machine_profile.hpp"
#include "core/calibrate/vector_size.hpp"
#include "core/runtime/open_devices.hpp"

namespace convoy::calibrate {

// The sizes and repetitions of measurements.
struct ProbeSize {
  VectorBounds vectors;
  int repetitions = 2;  // how often each is measured; the median counts
};

// Measures the rates of every device while all of them do the same. It measures matrix products,
// which take long, only on demand.
TeamRates probe_team(runtime::OpenDevices& devices, const ProbeSize& size, bool multiply);

// Measures the shared rates; there must be at least two devices.
SharedRates probe_shared(runtime::OpenDevices& devices, const ProbeSize& size);

// Measures copies between the memory of the host and of devices, and from device to device.
std::vector<PathRate> probe_paths(runtime::OpenDevices& devices, const ProbeSize& size);

// Measures the fixed cost of an operation with a chain of the smallest operations on the first
// device.
double probe_operation(runtime::OpenDevices& devices);

}  // namespace convoy::calibrate
