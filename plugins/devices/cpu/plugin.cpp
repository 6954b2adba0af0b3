#include "plugins/devices/cpu/cpu_device.hpp"

CONVOY_DEVICE(convoy::cpu::CpuDevice, "name=cpu", "version=0.1.0",
              "description=Sets of this machine's cores, with oneDNN.");
