#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace convoy::cuda {

// What the GPU does at best, in the units of convoy_measurement.
double measured_rate(std::uint32_t what, cudaStream_t stream, bool tf32);

}  // namespace convoy::cuda
