#pragma once

#include <cstddef>
#include <cstdint>

// Interfaces of the kernels. They use plain types, so that only .cu files see CUDA's extensions of
// C++. All functions queue work on a stream (a cudaStream_t) and return. The caller finds launch
// errors with cudaGetLastError.
struct CUstream_st;

namespace convoy::cuda {

using Stream = CUstream_st*;

// The type of activations and weights in layers. Values as in convoy_dtype.
enum class Type : std::uint32_t { kFloat = 0, kHalf = 1, kBfloat = 2 };

inline std::size_t bytes_of(Type type) {
  return type == Type::kFloat ? 4 : 2;
}

}  // namespace convoy::cuda
