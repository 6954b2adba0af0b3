#include "topology/detect/nvml_library.hpp"

#include <dlfcn.h>

namespace convoy::topology {
namespace {

template <typename Function>
void find_function(void* handle, const char* symbol, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(handle, symbol));
}

}  // namespace

std::unique_ptr<NvmlLibrary> NvmlLibrary::open(const std::string& file) {
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return nullptr;
  std::unique_ptr<NvmlLibrary> library(new NvmlLibrary(handle));
  library->find_functions();
  int (*start)() = nullptr;
  find_function(handle, "nvmlInit_v2", start);
  library->started_ = start != nullptr && start() == 0;
  const bool usable = library->started_ && library->count != nullptr &&
                      library->device != nullptr && library->pci != nullptr;
  return usable ? std::move(library) : nullptr;
}

NvmlLibrary::~NvmlLibrary() {
  int (*stop)() = nullptr;
  find_function(handle_, "nvmlShutdown", stop);
  if (started_ && stop != nullptr) stop();
  dlclose(handle_);
}

void NvmlLibrary::find_functions() {
  find_function(handle_, "nvmlDeviceGetCount_v2", count);
  find_function(handle_, "nvmlDeviceGetHandleByIndex_v2", device);
  find_function(handle_, "nvmlDeviceGetPciInfo_v3", pci);
  find_function(handle_, "nvmlDeviceGetName", name);
  find_function(handle_, "nvmlDeviceGetMemoryInfo", memory);
  find_function(handle_, "nvmlDeviceGetNvLinkState", link_state);
  find_function(handle_, "nvmlDeviceGetNvLinkVersion", link_version);
  find_function(handle_, "nvmlDeviceGetNvLinkRemotePciInfo_v2", link_remote);
  find_function(handle_, "nvmlDeviceGetNvLinkRemoteDeviceType", link_remote_kind);
  find_function(handle_, "nvmlDeviceGetP2PStatus", peer_status);
  find_function(handle_, "nvmlDeviceGetMigMode", mig_mode);
  find_function(handle_, "nvmlDeviceGetHandleByPciBusId_v2", device_at);
  find_function(handle_, "nvmlDeviceGetPowerUsage", power);
  find_function(handle_, "nvmlDeviceGetTemperature", temperature);
  find_function(handle_, "nvmlDeviceGetClockInfo", clock);
  find_function(handle_, "nvmlDeviceGetCurrentClocksThrottleReasons", throttle_reasons);
  if (throttle_reasons == nullptr)  // its name in later libraries
    find_function(handle_, "nvmlDeviceGetCurrentClocksEventReasons", throttle_reasons);
  find_function(handle_, "nvmlDeviceGetUUID", uuid);
  find_function(handle_, "nvmlDeviceGetMaxMigDeviceCount", most_slices);
  find_function(handle_, "nvmlDeviceGetMigDeviceHandleByIndex", slice);
  find_function(handle_, "nvmlDeviceGetGpuInstanceId", gpu_instance);
  find_function(handle_, "nvmlDeviceGetComputeInstanceId", compute_instance);
}

}  // namespace convoy::topology
