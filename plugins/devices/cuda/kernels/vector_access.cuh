#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "plugins/devices/cuda/kernels/types.hpp"

// Code that kernels share: conversions, launch sizes.
namespace convoy::cuda {

constexpr int kThreads = 256;
// Enough blocks to fill the largest GPU several times over.
constexpr std::uint64_t kMostBlocks = 132 * 32;
// Limit of the second and third dimension of a grid, on every GPU.
constexpr std::uint32_t kMostGridRows = 65535;

inline unsigned blocks_for(std::uint64_t work) {
  const std::uint64_t blocks = (work + kThreads - 1) / kThreads;
  return static_cast<unsigned>(blocks < 1 ? 1 : blocks > kMostBlocks ? kMostBlocks : blocks);
}

inline bool is_aligned(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0;
}

__device__ inline float to_float(float value) {
  return value;
}
__device__ inline float to_float(__half value) {
  return __half2float(value);
}
__device__ inline float to_float(__nv_bfloat16 value) {
  return __bfloat162float(value);
}

template <typename T>
__device__ inline T from_float(float value);
template <>
__device__ inline float from_float<float>(float value) {
  return value;
}
template <>
__device__ inline __half from_float<__half>(float value) {
  return __float2half_rn(value);
}
template <>
__device__ inline __nv_bfloat16 from_float<__nv_bfloat16>(float value) {
  return __float2bfloat16_rn(value);
}

// The number of elements that one access of 16 bytes moves.
template <typename T>
constexpr int kPerAccess = 16 / static_cast<int>(sizeof(T));

// The elements that one access of 16 bytes moves.
template <typename T>
struct alignas(16) Pack {
  T values[kPerAccess<T>];
};

// Calls body with a value of the C++ type for a Type.
template <typename Body>
void with_type(Type type, Body&& body) {
  if (type == Type::kFloat) {
    body(float{});
  } else if (type == Type::kHalf) {
    body(__half{});
  } else {
    body(__nv_bfloat16{});
  }
}

__device__ inline std::uint64_t first_index() {
  return static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline std::uint64_t index_stride() {
  return static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
}

// index <- index / by; returns the remainder. Divisions of 64 bits cost several times as much.
__device__ inline std::uint32_t split(std::uint64_t& index, std::uint32_t by) {
  if (index > 0xffffffffu) {
    const auto rest = static_cast<std::uint32_t>(index % by);
    index /= by;
    return rest;
  }
  const auto small = static_cast<std::uint32_t>(index);
  index = small / by;
  return small % by;
}

}  // namespace convoy::cuda
