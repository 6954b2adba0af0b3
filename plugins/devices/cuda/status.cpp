#include "plugins/devices/cuda/status.hpp"

#include <stdexcept>

namespace convoy::cuda {
namespace {

// Returns an empty text for errors about which only their text is known.
const char* advice_on(int error) {
  switch (error) {
    case cudaErrorMemoryAllocation:
      return "the GPU's memory is full: use a smaller --batch_size, or end other programs that "
             "nvidia-smi shows";
    case cudaErrorNoKernelImageForDevice:
      return "this plug-in has no code for the GPU's architecture: build convoy with a toolkit "
             "that "
             "knows it (cmake -DCONVOY_CUDA_ARCHITECTURES=...)";
    case cudaErrorUnsupportedPtxVersion:
      return "the driver cannot compile this plug-in's code for the GPU: install a newer driver";
    case cudaErrorECCUncorrectable:
    case cudaErrorHardwareStackError:
      return "the GPU's hardware reports a fault; nvidia-smi -q shows which; take it out of use";
    case cudaErrorDevicesUnavailable:
    case cudaErrorDeviceUninitialized:
      return "another program holds the GPU for itself (nvidia-smi -q: Compute Mode), or it is "
             "being "
             "reset";
    case cudaErrorLaunchTimeout:
      return "a display runs on this GPU and its driver ended a kernel that took long; use another "
             "GPU";
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorAssert:
    case cudaErrorMisalignedAddress:
      return "a kernel went wrong and the device is lost to this process: results of this step are "
             "void; please report it with the command line";
    case cudaErrorSystemNotReady:
    case cudaErrorSystemDriverMismatch:
      return "driver and GPU firmware or fabric manager do not fit together: restart the machine "
             "or "
             "the service nvidia-fabricmanager";
    default:
      return "";
  }
}

}  // namespace

std::string explain_error(int error, const std::string& text, const std::string& what) {
  std::string result = what + ": " + text + " (cudaError " + std::to_string(error) + ")";
  const std::string advice = advice_on(error);
  if (!advice.empty()) result += "; " + advice;
  return result;
}

void require(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  throw std::runtime_error(explain_error(static_cast<int>(error), cudaGetErrorString(error), what));
}

void require_host_memory(cudaError_t error, std::uint64_t bytes) {
  if (error != cudaErrorMemoryAllocation) return require(error, "allocating pinned host memory");
  static_cast<void>(cudaGetLastError());
  throw std::runtime_error(
      "the system gives no " + std::to_string(bytes) +
      " bytes of pinned host memory: it is taken out of what programs can swap or are limited to "
      "(free -m, the container's memory limit); end other programs, or use fewer devices");
}

}  // namespace convoy::cuda
