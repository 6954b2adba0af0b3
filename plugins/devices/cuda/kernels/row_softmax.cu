#include "plugins/devices/cuda/kernels/row_softmax.hpp"

#include "plugins/devices/cuda/kernels/row_sums.cuh"

namespace convoy::cuda {
namespace {

template <typename T>
__global__ void row_softmax_kernel(T* weights, const float* scores, float scale, std::uint64_t rows,
                                   std::uint32_t columns) {
  bool own = false;
  const std::uint64_t first = row_of_thread(rows, own) * columns;
  float top = -INFINITY;
  for (std::uint32_t i = threadIdx.x; i < columns; i += kRowLanes)
    top = Larger{}(top, scale * scores[first + i]);
  top = over_row(top, Larger{});
  float sum = 0.0f;
  for (std::uint32_t i = threadIdx.x; i < columns; i += kRowLanes)
    sum += expf(scale * scores[first + i] - top);
  sum = over_row(sum, Plus{});
  if (!own) return;
  for (std::uint32_t i = threadIdx.x; i < columns; i += kRowLanes)
    weights[first + i] = from_float<T>(expf(scale * scores[first + i] - top) / sum);
}

template <typename T>
__global__ void row_softmax_backward_kernel(T* write, const float* gradient, const T* weights,
                                            float scale, std::uint64_t rows,
                                            std::uint32_t columns) {
  bool own = false;
  const std::uint64_t first = row_of_thread(rows, own) * columns;
  float sum = 0.0f;
  for (std::uint32_t i = threadIdx.x; i < columns; i += kRowLanes)
    sum += gradient[first + i] * to_float(weights[first + i]);
  sum = over_row(sum, Plus{});
  if (!own) return;
  for (std::uint32_t i = threadIdx.x; i < columns; i += kRowLanes)
    write[first + i] =
        from_float<T>(scale * to_float(weights[first + i]) * (gradient[first + i] - sum));
}

}  // namespace

void row_softmax(Stream stream, Type type, void* weights, const float* scores, float scale,
                 std::uint64_t rows, std::uint32_t columns) {
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    row_softmax_kernel<T><<<row_blocks(rows), row_threads(), 0, stream>>>(
        static_cast<T*>(weights), scores, scale, rows, columns);
  });
}

void row_softmax_backward(Stream stream, Type type, void* write, const float* gradient,
                          const void* weights, float scale, std::uint64_t rows,
                          std::uint32_t columns) {
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    row_softmax_backward_kernel<T><<<row_blocks(rows), row_threads(), 0, stream>>>(
        static_cast<T*>(write), gradient, static_cast<const T*>(weights), scale, rows, columns);
  });
}

}  // namespace convoy::cuda
