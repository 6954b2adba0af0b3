#include "plugins/devices/cuda/libraries/cublas_library.hpp"

#include <stdexcept>
#include <string>

namespace convoy::cuda {

// The versions with the functions of the header: a toolkit's major version.
CublasLibrary::CublasLibrary()
#if CUBLAS_VER_MAJOR >= 13
    : library_({"libcublasLt.so.13"}, "a matrix product on a CUDA device") {
#else
    : library_({"libcublasLt.so.12"}, "a matrix product on a CUDA device") {
#endif
  library_.load(version, "cublasLtGetVersion");
  library_.load(create, "cublasLtCreate");
  library_.load(destroy, "cublasLtDestroy");
  library_.load(status_string, "cublasLtGetStatusString");
  library_.load(matmul, "cublasLtMatmul");
  library_.load(heuristic, "cublasLtMatmulAlgoGetHeuristic");
  library_.load(create_operation, "cublasLtMatmulDescCreate");
  library_.load(destroy_operation, "cublasLtMatmulDescDestroy");
  library_.load(set_operation, "cublasLtMatmulDescSetAttribute");
  library_.load(create_layout, "cublasLtMatrixLayoutCreate");
  library_.load(destroy_layout, "cublasLtMatrixLayoutDestroy");
  library_.load(set_layout, "cublasLtMatrixLayoutSetAttribute");
  library_.load(create_preference, "cublasLtMatmulPreferenceCreate");
  library_.load(destroy_preference, "cublasLtMatmulPreferenceDestroy");
  library_.load(set_preference, "cublasLtMatmulPreferenceSetAttribute");
}

void CublasLibrary::require(cublasStatus_t status, const char* what) const {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw std::runtime_error(std::string(what) + ": cuBLASLt says " + status_string(status));
}

const CublasLibrary& cublas() {
  static const CublasLibrary kLibrary;
  return kLibrary;
}

}  // namespace convoy::cuda
