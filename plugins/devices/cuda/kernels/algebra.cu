#include "plugins/devices/cuda/kernels/algebra.hpp"

#include "plugins/devices/cuda/kernels/block_sum.cuh"

namespace convoy::cuda {
namespace {

__global__ void multiply_kernel(float* write, const float* values, const float* factors, bool one,
                                std::uint64_t count) {
  for (std::uint64_t i = first_index(); i < count; i += index_stride())
    write[i] = values[i] * factors[one ? 0 : i];
}

__global__ void divide_kernel(float* write, const float* values, const float* divisors, bool one,
                              float where_zero, std::uint64_t count) {
  for (std::uint64_t i = first_index(); i < count; i += index_stride()) {
    const float by = divisors[one ? 0 : i];
    write[i] = by == 0.0f ? where_zero : values[i] / by;
  }
}

__global__ void square_root_kernel(float* write, const float* values, std::uint64_t count) {
  for (std::uint64_t i = first_index(); i < count; i += index_stride()) write[i] = sqrtf(values[i]);
}

__global__ void dot_kernel(double* partial, const float* a, const float* b, std::uint64_t count) {
  double sum = 0.0;
  for (std::uint64_t i = first_index(); i < count; i += index_stride())
    sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  sum = block_sum(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

__global__ void finish_dot_kernel(float* write, const double* partial, std::uint32_t count) {
  const double sum = partial_block_sum(partial, count);
  if (threadIdx.x == 0) *write = static_cast<float>(sum);
}

// A row-major matrix. Every thread of the block has rows of its own, so columns change without
// waiting. Only sums over rows synchronise the threads.
struct TallMatrix {
  float* values;
  std::uint64_t rows;
  std::uint64_t columns;

  __device__ float& at(std::uint64_t row, std::uint64_t column) const {
    return values[row * columns + column];
  }

  __device__ double column_block_sum(std::uint64_t a, std::uint64_t b) const {
    double sum = 0.0;
    for (std::uint64_t r = threadIdx.x; r < rows; r += blockDim.x)
      sum += static_cast<double>(at(r, a)) * static_cast<double>(at(r, b));
    return block_sum(sum);
  }

  // Subtracts twice, because the first time leaves rounding errors of large parts.
  __device__ void leave_out_earlier(std::uint64_t column) const {
    for (int time = 0; time < 2; ++time)
      for (std::uint64_t b = 0; b < column; ++b) {
        const double share = column_block_sum(b, column);
        for (std::uint64_t r = threadIdx.x; r < rows; r += blockDim.x)
          at(r, column) = static_cast<float>(static_cast<double>(at(r, column)) -
                                             share * static_cast<double>(at(r, b)));
      }
  }

  // Returns the row in which the earlier columns are smallest; of equal ones the first.
  __device__ std::uint64_t emptiest_row(std::uint64_t column) const {
    __shared__ double fewest[kThreads];
    __shared__ std::uint64_t which[kThreads];
    const unsigned mine = threadIdx.x;
    which[mine] = rows;
    for (std::uint64_t r = mine; r < rows; r += blockDim.x) {
      double squares = 0.0;
      for (std::uint64_t b = 0; b < column; ++b) {
        const double value = at(r, b);
        squares += value * value;
      }
      if (which[mine] == rows || squares < fewest[mine]) {
        fewest[mine] = squares;
        which[mine] = r;
      }
    }
    __syncthreads();
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
      const unsigned other = mine + half;
      if (mine < half && which[other] < rows &&
          (fewest[other] < fewest[mine] ||
           (fewest[other] == fewest[mine] && which[other] < which[mine]))) {
        fewest[mine] = fewest[other];
        which[mine] = which[other];
      }
      __syncthreads();
    }
    const std::uint64_t result = which[0];
    __syncthreads();
    return result;
  }
};

__global__ void orthogonalise_kernel(TallMatrix matrix) {
  constexpr double kDependent = 1e-5;  // see CONVOY_OP_ORTHOGONALISE
  for (std::uint64_t c = 0; c < matrix.columns; ++c) {
    const double length = sqrt(matrix.column_block_sum(c, c));
    matrix.leave_out_earlier(c);
    double left = sqrt(matrix.column_block_sum(c, c));
    if (left <= kDependent * length) {
      const std::uint64_t row = matrix.emptiest_row(c);
      for (std::uint64_t r = threadIdx.x; r < matrix.rows; r += blockDim.x)
        matrix.at(r, c) = r == row ? 1.0f : 0.0f;
      matrix.leave_out_earlier(c);
      left = sqrt(matrix.column_block_sum(c, c));
    }
    for (std::uint64_t r = threadIdx.x; r < matrix.rows; r += blockDim.x)
      matrix.at(r, c) = static_cast<float>(static_cast<double>(matrix.at(r, c)) / left);
  }
}

}  // namespace

void multiply(Stream stream, float* write, const float* values, const float* factors, bool one,
              std::uint64_t count) {
  multiply_kernel<<<blocks_for(count), kThreads, 0, stream>>>(write, values, factors, one, count);
}

void divide(Stream stream, float* write, const float* values, const float* divisors, bool one,
            float where_zero, std::uint64_t count) {
  divide_kernel<<<blocks_for(count), kThreads, 0, stream>>>(write, values, divisors, one,
                                                            where_zero, count);
}

void square_root(Stream stream, float* write, const float* values, std::uint64_t count) {
  square_root_kernel<<<blocks_for(count), kThreads, 0, stream>>>(write, values, count);
}

void dot(Stream stream, float* write, const float* a, const float* b, std::uint64_t count,
         double* partial) {
  const unsigned wanted = blocks_for(count);
  const unsigned blocks = wanted < kDotPartials ? wanted : kDotPartials;
  dot_kernel<<<blocks, kThreads, 0, stream>>>(partial, a, b, count);
  finish_dot_kernel<<<1, kThreads, 0, stream>>>(write, partial, blocks);
}

void orthogonalise(Stream stream, float* matrix, std::uint64_t rows, std::uint64_t columns) {
  orthogonalise_kernel<<<1, kThreads, 0, stream>>>(TallMatrix{matrix, rows, columns});
}

}  // namespace convoy::cuda
