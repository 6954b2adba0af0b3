#pragma once

#include "plugins/devices/cuda/kernels/types.hpp"

namespace convoy::cuda {

// The operations of these names on spans of f32, see convoy/abi/operation.h. `one`: the factor is a
// single number for all elements.
void multiply(Stream stream, float* write, const float* values, const float* factors, bool one,
              std::uint64_t count);
void divide(Stream stream, float* write, const float* values, const float* divisors, bool one,
            float where_zero, std::uint64_t count);
void square_root(Stream stream, float* write, const float* values, std::uint64_t count);

inline constexpr std::uint32_t kDotPartials = 1024;
// partial: kDotPartials doubles of device memory.
void dot(Stream stream, float* write, const float* a, const float* b, std::uint64_t count,
         double* partial);

// Row-major, in place. One block does all the work, because matrices are tall and have few columns.
void orthogonalise(Stream stream, float* matrix, std::uint64_t rows, std::uint64_t columns);

}  // namespace convoy::cuda
