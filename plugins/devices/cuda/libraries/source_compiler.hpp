#pragma once

#include <convoy/abi.h>

#include <string>

namespace convoy::cuda {

// Compiles the CUDA source of a strategy's kernel with NVRTC for a GPU of that compute capability
// (90 means 9.0). Returns machine code, or PTX if NVRTC is older than the GPU. Needs no GPU. Throws
// std::runtime_error with NVRTC's log when the source is wrong, or when there is no NVRTC.
std::string compile_source(const convoy_kernel_code& code, int capability);

}  // namespace convoy::cuda
