#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "plugins/devices/cuda/kernels/types.hpp"

namespace convoy::cuda {

// Measures the best rate of the GPU, in the units of convoy_measurement. half: its 16-bit type;
// tf32: products of f32 may round their factors.
double measured_rate(std::uint32_t what, cudaStream_t stream, Type half, bool tf32);

}  // namespace convoy::cuda
