#include "plugins/devices/cuda/libraries/cudnn_library.hpp"

#include <array>
#include <stdexcept>
#include <string>

#include "plugins/devices/cuda/gpu/gpu_memory.hpp"
#include "plugins/devices/cuda/libraries/cublas_library.hpp"
#include "plugins/devices/cuda/libraries/nvrtc_library.hpp"

namespace convoy::cuda {
namespace {

// cuDNN opens both by name when an algorithm needs them, possibly where the loader does not find
// them. A library that is already open is found by its name. Without them, cuDNN has fewer
// algorithms.
void open_what_cudnn_uses() {
  for (const auto open :
       {+[] { static_cast<void>(cublas()); }, +[] { static_cast<void>(nvrtc()); }}) {
    try {
      open();
    } catch (const std::exception&) {
    }
  }
}

}  // namespace

CudnnLibrary::CudnnLibrary() : library_({"libcudnn.so.9"}, "a convolution on a CUDA device") {
  library_.load(version, "cudnnGetVersion");
  library_.load(error_string, "cudnnGetErrorString");
  library_.load(last_error, "cudnnGetLastErrorString");
  library_.load(create, "cudnnCreate");
  library_.load(destroy, "cudnnDestroy");
  library_.load(set_stream, "cudnnSetStream");
  library_.load(create_descriptor, "cudnnBackendCreateDescriptor");
  library_.load(destroy_descriptor, "cudnnBackendDestroyDescriptor");
  library_.load(finalize, "cudnnBackendFinalize");
  library_.load(set_attribute, "cudnnBackendSetAttribute");
  library_.load(get_attribute, "cudnnBackendGetAttribute");
  library_.load(execute, "cudnnBackendExecute");
}

void CudnnLibrary::require(cudnnStatus_t status, const char* what) const {
  if (status == CUDNN_STATUS_SUCCESS) return;
  std::array<char, 512> more{};
  last_error(more.data(), more.size());
  throw std::runtime_error(std::string(what) + ": cuDNN says " + error_string(status) + " (" +
                           more.data() + ")");
}

const CudnnLibrary& cudnn() {
  static const CudnnLibrary kLibrary = [] {
    open_what_cudnn_uses();
    return CudnnLibrary();
  }();
  return kLibrary;
}

CudnnHandle make_cudnn_handle(cudaStream_t stream) {
  cudnnHandle_t handle = nullptr;
  {
    const auto turn = memory_turn();
    cudnn().require(cudnn().create(&handle), "starting cuDNN");
  }
  CudnnHandle result(handle, [](cudnnContext* it) {
    const auto turn = memory_turn();
    static_cast<void>(cudnn().destroy(it));
  });
  cudnn().require(cudnn().set_stream(handle, stream), "choosing cuDNN's stream");
  return result;
}

}  // namespace convoy::cuda
