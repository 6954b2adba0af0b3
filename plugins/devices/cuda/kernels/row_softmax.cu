#include "plugins/devices/cuda/kernels/row_softmax.hpp"

#include "plugins/devices/cuda/kernels/row_sums.cuh"

namespace convoy::cuda {
namespace {

template <typename T>
__global__ void row_softmax_kernel(T* scores, float scale, std::uint64_t rows,
                                   std::uint32_t columns) {
  bool own = false;
  T* const row = scores + row_of_thread(rows, own) * columns;
  float top = -INFINITY;
  for (std::uint32_t i = threadIdx.x; i < columns; i += kRowLanes)
    top = Larger{}(top, scale * to_float(row[i]));
  top = over_row(top, Larger{});
  float sum = 0.0f;
  for (std::uint32_t i = threadIdx.x; i < columns; i += kRowLanes)
    sum += expf(scale * to_float(row[i]) - top);
  sum = over_row(sum, Plus{});
  if (!own) return;
  for (std::uint32_t i = threadIdx.x; i < columns; i += kRowLanes)
    row[i] = from_float<T>(expf(scale * to_float(row[i]) - top) / sum);
}

template <typename T>
__global__ void row_softmax_backward_kernel(T* gradient, const T* weights, float scale,
                                            std::uint64_t rows, std::uint32_t columns) {
  bool own = false;
  const std::uint64_t first = row_of_thread(rows, own) * columns;
  float sum = 0.0f;
  for (std::uint32_t i = threadIdx.x; i < columns; i += kRowLanes)
    sum += to_float(gradient[first + i]) * to_float(weights[first + i]);
  sum = over_row(sum, Plus{});
  if (!own) return;
  for (std::uint32_t i = threadIdx.x; i < columns; i += kRowLanes)
    gradient[first + i] =
        from_float<T>(scale * to_float(weights[first + i]) * (to_float(gradient[first + i]) - sum));
}

}  // namespace

void row_softmax(Stream stream, Type type, void* scores, float scale, std::uint64_t rows,
                 std::uint32_t columns) {
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    row_softmax_kernel<T><<<row_blocks(rows), row_threads(), 0, stream>>>(static_cast<T*>(scores),
                                                                          scale, rows, columns);
  });
}

void row_softmax_backward(Stream stream, Type type, void* gradient, const void* weights,
                          float scale, std::uint64_t rows, std::uint32_t columns) {
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    row_softmax_backward_kernel<T><<<row_blocks(rows), row_threads(), 0, stream>>>(
        static_cast<T*>(gradient), static_cast<const T*>(weights), scale, rows, columns);
  });
}

}  // namespace convoy::cuda
