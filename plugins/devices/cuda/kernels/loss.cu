#include "plugins/devices/cuda/kernels/loss.hpp"

#include "plugins/devices/cuda/kernels/vector_access.cuh"

namespace convoy::cuda {
namespace {

struct Sum {
  __device__ double operator()(double a, double b) const { return a + b; }
};
struct Largest {
  __device__ double operator()(double a, double b) const { return b > a || b != b ? b : a; }
};

// Combines the values of the threads of a block, in a fixed order; all threads get the result.
template <typename Combine>
__device__ double over_block(double value, Combine combine) {
  __shared__ double values[kThreads];
  values[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      values[threadIdx.x] = combine(values[threadIdx.x], values[threadIdx.x + half]);
    __syncthreads();
  }
  const double result = values[0];
  __syncthreads();
  return result;
}

// log(sum(exp(scores))) of one row.
template <typename T>
__device__ double log_of_sum(const T* scores, std::uint32_t classes) {
  double top = -INFINITY;
  for (std::uint32_t i = threadIdx.x; i < classes; i += blockDim.x)
    top = Largest{}(top, static_cast<double>(to_float(scores[i])));
  top = over_block(top, Largest{});
  double sum = 0.0;
  for (std::uint32_t i = threadIdx.x; i < classes; i += blockDim.x)
    sum += exp(static_cast<double>(to_float(scores[i])) - top);
  return log(over_block(sum, Sum{})) + top;
}

// One block per row. hits: whether fewer than 1 and fewer than 5 scores are above the label's;
// neither if a score is not finite. A row without a label (-1) has neither loss nor hits.
template <typename T>
__global__ void row_loss_kernel(const T* all, const std::int32_t* labels, std::uint32_t classes,
                                double* losses, std::uint8_t* hits) {
  const std::uint64_t row = blockIdx.x;
  const T* scores = all + row * classes;
  const double logarithm = log_of_sum(scores, classes);
  const bool counts = labels[row] >= 0;
  const float own = counts ? to_float(scores[labels[row]]) : 0.0f;
  double higher = 0.0;
  for (std::uint32_t i = threadIdx.x; i < classes; i += blockDim.x) {
    const float score = to_float(scores[i]);
    higher += score > own ? 1.0 : 0.0;
    if (!isfinite(score)) higher += 5.0;
  }
  higher = over_block(higher, Sum{});
  if (threadIdx.x != 0) return;
  losses[row] = counts ? logarithm - static_cast<double>(own) : 0.0;
  hits[2 * row] = counts && higher < 1.0 ? 1 : 0;
  hits[2 * row + 1] = counts && higher < 5.0 ? 1 : 0;
}

__global__ void batch_loss_kernel(const double* losses, const std::uint8_t* hits,
                                  std::uint32_t batch, LossResult* result) {
  double loss = 0.0, first = 0.0, fifth = 0.0;
  for (std::uint32_t row = threadIdx.x; row < batch; row += blockDim.x) {
    loss += losses[row];
    first += hits[2 * row];
    fifth += hits[2 * row + 1];
  }
  loss = over_block(loss, Sum{});
  first = over_block(first, Sum{});
  fifth = over_block(fifth, Sum{});
  if (threadIdx.x != 0) return;
  result->loss = loss / batch;
  result->hits[0] = static_cast<std::uint64_t>(first);
  result->hits[1] = static_cast<std::uint64_t>(fifth);
}

template <typename T>
__global__ void row_gradient_kernel(T* write, const T* all, const std::int32_t* labels,
                                    std::uint32_t batch, std::uint32_t classes,
                                    const float* loss_scale) {
  const std::uint64_t row = blockIdx.x;
  const T* scores = all + row * classes;
  const double logarithm = log_of_sum(scores, classes);
  const double scale = loss_scale == nullptr ? 1.0 : static_cast<double>(*loss_scale);
  const double weight = labels[row] >= 0 ? scale / batch : 0.0;
  for (std::uint32_t i = threadIdx.x; i < classes; i += blockDim.x) {
    const double probability = exp(static_cast<double>(to_float(scores[i])) - logarithm);
    const bool is_label = static_cast<std::int32_t>(i) == labels[row];
    write[row * classes + i] =
        from_float<T>(static_cast<float>(weight * (is_label ? probability - 1.0 : probability)));
  }
}

template <typename T>
__global__ void mean_kernel(const T* read, std::uint64_t count, LossResult* result) {
  double sum = 0.0;
  for (std::uint64_t i = threadIdx.x; i < count; i += blockDim.x)
    sum += static_cast<double>(to_float(read[i]));
  sum = over_block(sum, Sum{});
  if (threadIdx.x != 0) return;
  *result = LossResult{sum / static_cast<double>(count), {0, 0}};
}

template <typename T>
__global__ void mean_gradient_kernel(T* write, std::uint64_t count, const float* loss_scale) {
  const double scale = loss_scale == nullptr ? 1.0 : static_cast<double>(*loss_scale);
  const T share = from_float<T>(static_cast<float>(scale / static_cast<double>(count)));
  for (std::uint64_t i = first_index(); i < count; i += index_stride()) write[i] = share;
}

}  // namespace

void cross_entropy(Stream stream, Type type, const void* scores, const std::int32_t* labels,
                   std::uint32_t batch, std::uint32_t classes, double* row_losses,
                   std::uint8_t* row_hits, LossResult* result) {
  with_type(type, [&](auto zero) {
    row_loss_kernel<<<batch, kThreads, 0, stream>>>(static_cast<const decltype(zero)*>(scores),
                                                    labels, classes, row_losses, row_hits);
  });
  batch_loss_kernel<<<1, kThreads, 0, stream>>>(row_losses, row_hits, batch, result);
}

void cross_entropy_backward(Stream stream, Type type, void* write, const void* scores,
                            const std::int32_t* labels, std::uint32_t batch, std::uint32_t classes,
                            const float* loss_scale) {
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    row_gradient_kernel<<<batch, kThreads, 0, stream>>>(
        static_cast<T*>(write), static_cast<const T*>(scores), labels, batch, classes, loss_scale);
  });
}

void mean_loss(Stream stream, Type type, const void* read, std::uint64_t count,
               LossResult* result) {
  with_type(type, [&](auto zero) {
    mean_kernel<<<1, kThreads, 0, stream>>>(static_cast<const decltype(zero)*>(read), count,
                                            result);
  });
}

void mean_loss_backward(Stream stream, Type type, void* write, std::uint64_t count,
                        const float* loss_scale) {
  with_type(type, [&](auto zero) {
    mean_gradient_kernel<<<blocks_for(count), kThreads, 0, stream>>>(
        static_cast<decltype(zero)*>(write), count, loss_scale);
  });
}

}  // namespace convoy::cuda
