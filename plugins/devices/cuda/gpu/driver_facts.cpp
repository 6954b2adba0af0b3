#include "plugins/devices/cuda/gpu/driver_facts.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace convoy::cuda {
namespace {

std::string problem_with_driver_library() {
  void* library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (library != nullptr) return {};  // stays open, because the runtime opens it too
  const char* text = dlerror();
  return text == nullptr ? "unknown reason" : text;
}

void look_at_device_files(DriverFacts& facts) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/dev", error)) {
    const std::string name = entry.path().filename().string();
    const bool numbered = name.size() > 6 && name.starts_with("nvidia") &&
                          name.find_first_not_of("0123456789", 6) == std::string::npos;
    if (!numbered && name != "nvidiactl") continue;
    facts.has_device_files = facts.has_device_files || numbered;
    if (access(entry.path().c_str(), R_OK | W_OK) != 0) facts.forbidden_file = entry.path();
  }
}

}  // namespace

DriverFacts look_at_driver() {
  DriverFacts facts;
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) facts.visible_devices = visible;
  look_at_device_files(facts);
  facts.runtime_version = CUDART_VERSION;
  facts.library_problem = problem_with_driver_library();
  if (!facts.library_problem.empty()) return facts;
  if (cudaDriverGetVersion(&facts.driver_version) != cudaSuccess) facts.driver_version = 0;
  const cudaError_t error = cudaGetDeviceCount(&facts.devices);
  facts.error = static_cast<int>(error);
  facts.error_text = cudaGetErrorString(error);
  static_cast<void>(cudaGetLastError());  // clears the error, so that no later call reports it
  return facts;
}

}  // namespace convoy::cuda
