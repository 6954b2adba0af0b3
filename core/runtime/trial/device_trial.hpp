#pragma once

#include <string>

#include "core/plan/host_kernel.hpp"
#include "core/plan/plan.hpp"
#include "core/plugin/device_plugin.hpp"

namespace convoy::runtime {

// Calls a kernel that was built for a device, as an operation of a plan does, and its host form on
// the same values, and compares the results: f32 up to the rounding differences of mathematical
// functions, other types bit by bit. Memory around the spans must not change.
//
// Returns what differs ("writes 0.5 to element 3 of gradient(0)[0..64) (cpu:0), and the host
// function 0.25"); empty if nothing does. Tries nothing if the spans have more than 64 MiB. Error
// when the device fails.
std::string try_on_device(plugin::OpenDevice& device, void* built, const plan::HostKernel& host,
                          const plan::Plan& plan, const plan::Operation& call);

}  // namespace convoy::runtime
