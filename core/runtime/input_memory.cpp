#include "core/runtime/input_memory.hpp"

namespace convoy::runtime {

data::DataOptions::ImageMemory input_memory(const std::shared_ptr<OpenDevices>& devices) {
  if (devices->all_have(CONVOY_DEVICE_SHARES_HOST_MEMORY)) return {};
  return [devices](std::int64_t elements) {
    plugin::OpenDevice* device = devices->engines().front();
    void* memory = device->allocate_host(static_cast<std::uint64_t>(elements) * sizeof(float));
    return std::shared_ptr<float[]>(static_cast<float*>(memory), [devices, device](float* images) {
      device->deallocate(images);
    });
  };
}

}  // namespace convoy::runtime
