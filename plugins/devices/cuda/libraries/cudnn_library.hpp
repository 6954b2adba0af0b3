#pragma once

#include <cudnn_graph.h>

#include <memory>

#include "plugins/devices/cuda/libraries/dynamic_library.hpp"

namespace convoy::cuda {

// The functions of cuDNN's backend interface. One object per process.
class CudnnLibrary {
 public:
  CudnnLibrary();

  decltype(&cudnnGetVersion) version = nullptr;
  decltype(&cudnnGetErrorString) error_string = nullptr;
  decltype(&cudnnGetLastErrorString) last_error = nullptr;
  decltype(&cudnnCreate) create = nullptr;
  decltype(&cudnnDestroy) destroy = nullptr;
  decltype(&cudnnSetStream) set_stream = nullptr;
  decltype(&cudnnBackendCreateDescriptor) create_descriptor = nullptr;
  decltype(&cudnnBackendDestroyDescriptor) destroy_descriptor = nullptr;
  decltype(&cudnnBackendFinalize) finalize = nullptr;
  decltype(&cudnnBackendSetAttribute) set_attribute = nullptr;
  decltype(&cudnnBackendGetAttribute) get_attribute = nullptr;
  decltype(&cudnnBackendExecute) execute = nullptr;

  // Throws with cuDNN's text unless the call succeeded.
  void require(cudnnStatus_t status, const char* what) const;

 private:
  DynamicLibrary library_;
};

// Opens the library at the first call; every call throws if it cannot be opened.
const CudnnLibrary& cudnn();

// cuDNN's state for one GPU, for work on one stream.
using CudnnHandle = std::shared_ptr<cudnnContext>;
CudnnHandle make_cudnn_handle(cudaStream_t stream);

}  // namespace convoy::cuda
