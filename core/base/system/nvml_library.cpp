#include "core/base/system/nvml_library.hpp"

#include <fmt/format.h>

#include <type_traits>

namespace convoy {

std::unique_ptr<NvmlLibrary> NvmlLibrary::open(const std::string& file) {
  std::string reason;
  return open(file, system_libraries(), reason);
}

std::unique_ptr<NvmlLibrary> NvmlLibrary::open(const std::string& file,
                                               const DynamicLibraries& libraries,
                                               std::string& reason) {
  void* const handle = libraries.open(file, reason);
  if (handle == nullptr) return nullptr;
  std::unique_ptr<NvmlLibrary> library(new NvmlLibrary);
  library->find_functions(libraries, handle);
  if (library->start_ == nullptr || library->count == nullptr || library->device == nullptr ||
      library->pci == nullptr) {
    reason = fmt::format("{} is too old to say", file);
    return nullptr;
  }
  if (const int code = library->start_(); code != 0) {
    reason = fmt::format(
        "NVML does not start (code {}): driver and library must be of one version, see nvidia-smi",
        code);
    return nullptr;
  }
  library->stop_ = libraries.function<decltype(library->stop_)>(handle, "nvmlShutdown");
  return library;
}

NvmlLibrary::~NvmlLibrary() {
  if (stop_ != nullptr) stop_();
}

void NvmlLibrary::find_functions(const DynamicLibraries& libraries, void* handle) {
  const auto find_function = [&](const char* symbol, auto*& function) {
    function = libraries.function<std::remove_reference_t<decltype(function)>>(handle, symbol);
  };
  find_function("nvmlInit_v2", start_);
  find_function("nvmlDeviceGetCount_v2", count);
  find_function("nvmlDeviceGetHandleByIndex_v2", device);
  find_function("nvmlDeviceGetPciInfo_v3", pci);
  find_function("nvmlDeviceGetName", name);
  find_function("nvmlDeviceGetMemoryInfo", memory);
  find_function("nvmlDeviceGetNvLinkState", link_state);
  find_function("nvmlDeviceGetNvLinkVersion", link_version);
  find_function("nvmlDeviceGetNvLinkRemotePciInfo_v2", link_remote);
  find_function("nvmlDeviceGetNvLinkRemoteDeviceType", link_remote_kind);
  find_function("nvmlDeviceGetP2PStatus", peer_status);
  find_function("nvmlDeviceGetMigMode", mig_mode);
  find_function("nvmlDeviceGetHandleByPciBusId_v2", device_at);
  find_function("nvmlDeviceGetPowerUsage", power);
  find_function("nvmlDeviceGetTemperature", temperature);
  find_function("nvmlDeviceGetClockInfo", clock);
  find_function("nvmlDeviceGetCurrentClocksThrottleReasons", throttle_reasons);
  if (throttle_reasons == nullptr)  // later libraries use another name
    find_function("nvmlDeviceGetCurrentClocksEventReasons", throttle_reasons);
  find_function("nvmlDeviceGetUUID", uuid);
  find_function("nvmlDeviceGetMaxMigDeviceCount", most_slices);
  find_function("nvmlDeviceGetMigDeviceHandleByIndex", slice);
  find_function("nvmlDeviceGetGpuInstanceId", gpu_instance);
  find_function("nvmlDeviceGetComputeInstanceId", compute_instance);
  find_function("nvmlDeviceGetAttributes_v2", slice_attributes);
}

}  // namespace convoy
