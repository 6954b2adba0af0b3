#pragma once

#include <cstdint>
#include <memory>

#include "core/job/setup.hpp"
#include "core/runtime/open_devices.hpp"

namespace convoy::job {

// Opens the first `devices` of the devices that a run with these flags opens. Locates GPUs in the
// machine's graph, if it shows them, so that strategies see the routes between them and what they
// share.
std::shared_ptr<runtime::OpenDevices> open_devices(const Setup& setup, std::uint32_t devices);

}  // namespace convoy::job
