#pragma once

#include <cstdint>
#include <memory>

#include "core/job/setup.hpp"
#include "core/runtime/open_devices.hpp"

namespace convoy::job {

// So many of the devices that a run with these flags opens. GPUs that the machine's graph shows are
// located in it, so that strategies see the routes between them and what they share.
std::shared_ptr<OpenDevices> open_devices(const Setup& setup, std::uint32_t devices);

}  // namespace convoy::job
