#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "plugins/devices/cuda/kernels/types.hpp"

namespace convoy::cuda {

// What the GPU does at best, in the units of convoy_measurement. factors: the type that matrix
// products are measured with.
double measured_rate(std::uint32_t what, cudaStream_t stream, Type factors, bool tf32);

}  // namespace convoy::cuda
