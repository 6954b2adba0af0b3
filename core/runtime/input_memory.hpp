#pragma once

#include <memory>

#include "core/data/pipeline/data_options.hpp"
#include "core/runtime/open_devices.hpp"

namespace convoy::runtime {

// An allocator of pinned memory for images. Devices with memory of their own copy from it at full
// speed, asynchronously. Empty for devices that read the host's memory directly. Allocated memory
// keeps the devices open.
data::DataOptions::ImageMemory input_memory(const std::shared_ptr<OpenDevices>& devices);

}  // namespace convoy::runtime
