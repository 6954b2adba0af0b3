#include "plugins/devices/cuda/libraries/nvrtc_library.hpp"

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace convoy::cuda {

NvrtcLibrary::NvrtcLibrary()
#if CUDART_VERSION >= 13000
    : library_({"libnvrtc.so.13"}, "compiling a strategy's kernel for a GPU") {
#else
    : library_({"libnvrtc.so.12"}, "compiling a strategy's kernel for a GPU") {
#endif
  library_.load(error_text, "nvrtcGetErrorString");
  library_.load(architecture_count, "nvrtcGetNumSupportedArchs");
  library_.load(architectures, "nvrtcGetSupportedArchs");
  library_.load(create, "nvrtcCreateProgram");
  library_.load(destroy, "nvrtcDestroyProgram");
  library_.load(compile, "nvrtcCompileProgram");
  library_.load(log_size, "nvrtcGetProgramLogSize");
  library_.load(log, "nvrtcGetProgramLog");
  library_.load(binary_size, "nvrtcGetCUBINSize");
  library_.load(binary, "nvrtcGetCUBIN");
  library_.load(ptx_size, "nvrtcGetPTXSize");
  library_.load(ptx, "nvrtcGetPTX");
}

void NvrtcLibrary::require(int status, const char* what) const {
  if (status == 0) return;
  throw std::runtime_error(std::string(what) + ": NVRTC says " + error_text(status));
}

const NvrtcLibrary& nvrtc() {
  static const NvrtcLibrary kLibrary;
  return kLibrary;
}

}  // namespace convoy::cuda
