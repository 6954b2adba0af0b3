#include "plugins/devices/cuda/gpu/availability.hpp"

#include "plugins/devices/cuda/status.hpp"

namespace convoy::cuda {
namespace {

// Values of cudaError_t, which are stable.
constexpr int kOldDriver = 35;
constexpr int kNoDevice = 100;

std::string about_device_files(const DriverFacts& facts) {
  if (!facts.forbidden_file.empty())
    return "no permission to open " + facts.forbidden_file +
           ": ask the administrator for it (often membership of the group video or render)";
  if (facts.has_device_files)
    return "the driver finds no device that it can use; a GPU in MIG mode needs a slice first "
           "(nvidia-smi mig -cgi PROFILE -C; nvidia-smi -L shows them)";
  return "the driver is installed, but there is no /dev/nvidia0: load its kernel module (modprobe "
         "nvidia), or start the container with its GPUs (docker run --gpus all)";
}

std::string about_visible_devices(const std::string& value) {
  if (value.empty() || value == "NoDevFiles" || value == "void")
    return "CUDA_VISIBLE_DEVICES='" + value + "' hides all devices: unset it";
  return "CUDA_VISIBLE_DEVICES='" + value +
         "' names no device of this machine, or one twice, which hides all: unset it, or give "
         "numbers or ids that `nvidia-smi -L` shows";
}

std::string about_driver_version(const DriverFacts& facts) {
  std::string text = "the driver is too old: ";
  if (facts.driver_version > 0)
    text += "it knows CUDA " + version_text(facts.driver_version) + ", ";
  return text + "this plug-in was built with CUDA " + version_text(facts.runtime_version) +
         ": install a newer NVIDIA driver, or build convoy with an older toolkit (12 or newer)";
}

}  // namespace

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::optional<std::string> unavailable_because(const DriverFacts& facts) {
  if (!facts.library_problem.empty())
    return "no NVIDIA driver: libcuda.so.1 cannot be opened (" + facts.library_problem +
           "); install the driver of the GPU";
  if (facts.error == kOldDriver || facts.driver_version / 1000 < facts.runtime_version / 1000)
    return about_driver_version(facts);
  if (facts.error == 0 && facts.devices > 0) return std::nullopt;
  const bool sees_none = facts.error == 0 || facts.error == kNoDevice;
  if (sees_none && facts.visible_devices) return about_visible_devices(*facts.visible_devices);
  if (sees_none) return about_device_files(facts);
  if (!facts.forbidden_file.empty()) return about_device_files(facts);
  return explain_error(facts.error, facts.error_text, "the driver fails") +
         "; `nvidia-smi` may say more";
}

}  // namespace convoy::cuda
