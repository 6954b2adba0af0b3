#pragma once

#include <memory>

#include "core/data/pipeline/data_options.hpp"
#include "core/runtime/open_devices.hpp"

namespace convoy {

// Memory for images that devices with memory of their own copy from at full speed while the host
// does something else: pinned. Empty for devices that read the host's memory themselves. What it
// gives keeps the devices open.
DataOptions::ImageMemory input_memory(const std::shared_ptr<OpenDevices>& devices);

}  // namespace convoy
