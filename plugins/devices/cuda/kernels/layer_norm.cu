#include "plugins/devices/cuda/kernels/layer_norm.hpp"

#include "plugins/devices/cuda/kernels/channel_rows.cuh"
#include "plugins/devices/cuda/kernels/row_sums.cuh"

namespace convoy::cuda {
namespace {

template <typename T>
__global__ void layer_norm_kernel(T* write, const T* read, const float* gamma, const float* beta,
                                  float epsilon, float* mean, float* inverse, std::uint64_t rows,
                                  std::uint32_t channels) {
  bool own = false;
  const std::uint64_t row = row_of_thread(rows, own);
  const T* const x = read + row * channels;
  float sum = 0.0f, squares = 0.0f;
  for (std::uint32_t c = threadIdx.x; c < channels; c += kRowLanes) sum += to_float(x[c]);
  const float centre = over_row(sum, Plus{}) / static_cast<float>(channels);
  for (std::uint32_t c = threadIdx.x; c < channels; c += kRowLanes) {
    const float difference = to_float(x[c]) - centre;
    squares += difference * difference;
  }
  const float variance = over_row(squares, Plus{}) / static_cast<float>(channels);
  const float factor = 1.0f / sqrtf(variance + epsilon);
  if (!own) return;
  for (std::uint32_t c = threadIdx.x; c < channels; c += kRowLanes) {
    const float normal = (to_float(x[c]) - centre) * factor;
    write[row * channels + c] =
        from_float<T>(normal * (gamma == nullptr ? 1.0f : gamma[c]) + beta[c]);
  }
  if (threadIdx.x != 0) return;
  mean[row] = centre;
  inverse[row] = factor;
}

template <typename T>
__global__ void layer_norm_backward_kernel(T* write, LayerNormPast past, bool adds,
                                           std::uint64_t rows, std::uint32_t channels) {
  bool own = false;
  const std::uint64_t row = row_of_thread(rows, own);
  const T* const x = static_cast<const T*>(past.read) + row * channels;
  const T* const g = static_cast<const T*>(past.gradient) + row * channels;
  const float centre = past.mean[row], factor = past.inverse[row];
  float sum = 0.0f, products = 0.0f;
  for (std::uint32_t c = threadIdx.x; c < channels; c += kRowLanes) {
    const float gradient = to_float(g[c]) * (past.gamma == nullptr ? 1.0f : past.gamma[c]);
    sum += gradient;
    products += gradient * (to_float(x[c]) - centre) * factor;
  }
  const float mean = over_row(sum, Plus{}) / static_cast<float>(channels);
  const float product = over_row(products, Plus{}) / static_cast<float>(channels);
  if (!own) return;
  for (std::uint32_t c = threadIdx.x; c < channels; c += kRowLanes) {
    const float gradient = to_float(g[c]) * (past.gamma == nullptr ? 1.0f : past.gamma[c]);
    const float normal = (to_float(x[c]) - centre) * factor;
    const float result = (gradient - mean - normal * product) * factor;
    T& to = write[row * channels + c];
    to = from_float<T>(adds ? to_float(to) + result : result);
  }
}

// partial[chunk][channel]: sums over rows of the gradient, and of the gradient times the normalised
// x.
template <typename T>
__global__ void norm_sums_kernel(double* partial, LayerNormPast past, std::uint64_t rows,
                                 std::uint32_t channels, std::uint64_t rows_per_chunk) {
  __shared__ double sums[2][kThreads];
  const Walk walk = walk_of<1>(rows, rows_per_chunk);
  float sum = 0.0f, products = 0.0f;
  if (walk.channel < channels)
    for (std::uint64_t row = walk.row; row < walk.end; row += walk.stride) {
      const std::uint64_t at = row * channels + walk.channel;
      const float g = to_float(static_cast<const T*>(past.gradient)[at]);
      const float x = to_float(static_cast<const T*>(past.read)[at]);
      sum += g;
      products += g * (x - past.mean[row]) * past.inverse[row];
    }
  const unsigned thread = threadIdx.y * blockDim.x + threadIdx.x;
  sums[0][thread] = sum;
  sums[1][thread] = products;
  __syncthreads();
  if (threadIdx.y != 0 || walk.channel >= channels) return;
  double total[2] = {};
  for (unsigned y = 0; y < blockDim.y; ++y)
    for (int k = 0; k < 2; ++k) total[k] += sums[k][y * blockDim.x + threadIdx.x];
  const std::uint64_t at = static_cast<std::uint64_t>(blockIdx.y) * channels + walk.channel;
  for (int k = 0; k < 2; ++k) partial[2 * at + k] = total[k];
}

__global__ void norm_finish_kernel(float* gamma_gradient, float* beta_gradient,
                                   const double* partial, std::uint32_t channels,
                                   std::uint32_t chunks) {
  const std::uint32_t channel = blockIdx.x * kFinishChannels + threadIdx.x;
  double total[2];
  over_chunks<2>(total, partial, chunks, channel, channels);
  if (threadIdx.y != 0 || channel >= channels) return;
  beta_gradient[channel] = static_cast<float>(total[0]);
  if (gamma_gradient != nullptr) gamma_gradient[channel] = static_cast<float>(total[1]);
}

}  // namespace

void layer_norm(Stream stream, const LayerNormShape& shape, void* write, const void* read,
                const float* gamma, const float* beta, float epsilon, float* mean, float* inverse) {
  with_type(shape.type, [&](auto zero) {
    using T = decltype(zero);
    layer_norm_kernel<T><<<row_blocks(shape.rows), row_threads(), 0, stream>>>(
        static_cast<T*>(write), static_cast<const T*>(read), gamma, beta, epsilon, mean, inverse,
        shape.rows, shape.channels);
  });
}

void layer_norm_backward(Stream stream, const LayerNormShape& shape, const LayerNormPast& past,
                         void* write, bool adds) {
  with_type(shape.type, [&](auto zero) {
    using T = decltype(zero);
    layer_norm_backward_kernel<T><<<row_blocks(shape.rows), row_threads(), 0, stream>>>(
        static_cast<T*>(write), past, adds, shape.rows, shape.channels);
  });
}

std::uint64_t layer_norm_scratch(std::uint32_t channels) {
  return 2ull * kMostChunks * channels * sizeof(double);
}

void layer_norm_variables(Stream stream, const LayerNormShape& shape, const LayerNormPast& past,
                          float* gamma_gradient, float* beta_gradient, void* scratch) {
  auto* partial = static_cast<double*>(scratch);
  with_type(shape.type, [&](auto zero) {
    using T = decltype(zero);
    const Cut cut = cut_for_sums(shape.rows, shape.channels, 1);
    norm_sums_kernel<T><<<grid_of(cut), block_of(cut), 0, stream>>>(
        partial, past, shape.rows, shape.channels, cut.rows_per_chunk);
    norm_finish_kernel<<<finish_blocks(shape.channels), finish_threads(), 0, stream>>>(
        gamma_gradient, beta_gradient, partial, shape.channels, cut.chunks);
  });
}

}  // namespace convoy::cuda
