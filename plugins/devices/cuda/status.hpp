#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>

namespace convoy::cuda {

// Explains a CUDA error: what failed, what it means for a user, what to do.
std::string explain_error(int error, const std::string& text, const std::string& what);

// Throws std::runtime_error with explain_error() unless the call succeeded.
void require(cudaError_t error, const char* what);

// The same for pinned host memory, which runs out for other reasons.
void require_host_memory(cudaError_t error, std::uint64_t bytes);

}  // namespace convoy::cuda
