#include <convoy/waking.hpp>

#include "plugins/devices/cpu/cpu_device.hpp"
#include "plugins/devices/cpu/lanes/doorbell.hpp"

namespace convoy::cpu {
namespace {

void advanced(const std::uint64_t* timeline, std::uint64_t value) noexcept {
  shared_doorbells()->wake(timeline, value);
}

}  // namespace
}  // namespace convoy::cpu

CONVOY_DEVICE(convoy::cpu::CpuDevice, "name=cpu", "version=0.1.0",
              "description=Sets of this machine's cores, with oneDNN.");
CONVOY_DEVICE_WAKING(convoy::cpu::timeline_listeners, convoy::cpu::advanced);
