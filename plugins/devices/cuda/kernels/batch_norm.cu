#include "plugins/devices/cuda/kernels/batch_norm.hpp"

#include "plugins/devices/cuda/kernels/channel_rows.cuh"

namespace convoy::cuda {
namespace {

// Sums of two values per channel over a chunk: partial[(chunk * channels + channel) * 2 + which].
template <int kPer>
__device__ void reduce_block(double* partial, const float (&a)[kPer], const float (&b)[kPer],
                             std::uint32_t channel, std::uint32_t channels) {
  __shared__ double sums[2][kThreads];
  const std::uint32_t at = threadIdx.y * blockDim.x + threadIdx.x;
  for (int k = 0; k < kPer; ++k) {
    sums[0][at] = a[k];
    sums[1][at] = b[k];
    __syncthreads();
    if (threadIdx.y == 0 && channel + k < channels) {
      double total[2] = {0.0, 0.0};
      for (unsigned y = 0; y < blockDim.y; ++y) {
        total[0] += sums[0][y * blockDim.x + threadIdx.x];
        total[1] += sums[1][y * blockDim.x + threadIdx.x];
      }
      const std::uint64_t index = static_cast<std::uint64_t>(blockIdx.y) * channels + channel + k;
      partial[2 * index] = total[0];
      partial[2 * index + 1] = total[1];
    }
    __syncthreads();
  }
}

// Sums of x - pivot and its square, where the pivot is the channel's first value: large means lose
// no digits.
template <typename T, int kPer>
__global__ void statistics_kernel(double* partial, const T* read, std::uint64_t rows,
                                  std::uint32_t channels, std::uint64_t rows_per_chunk) {
  const std::uint32_t channel = (blockIdx.x * blockDim.x + threadIdx.x) * kPer;
  float sum[kPer] = {}, squares[kPer] = {};
  if (channel < channels) {
    float pivot[kPer];
    load<T, kPer>(pivot, read + channel);
    const std::uint64_t begin = blockIdx.y * rows_per_chunk;
    const std::uint64_t end = begin + rows_per_chunk < rows ? begin + rows_per_chunk : rows;
    for (std::uint64_t row = begin + threadIdx.y; row < end; row += blockDim.y) {
      float x[kPer];
      load<T, kPer>(x, read + row * channels + channel);
      for (int k = 0; k < kPer; ++k) {
        const float difference = x[k] - pivot[k];
        sum[k] += difference;
        squares[k] += difference * difference;
      }
    }
  }
  reduce_block<kPer>(partial, sum, squares, channel, channels);
}

template <typename T>
__global__ void finish_statistics_kernel(BatchNormForward what, const T* read,
                                         const double* partial, std::uint32_t chunks,
                                         BatchNormShape shape) {
  const std::uint32_t channel = blockIdx.x * blockDim.x + threadIdx.x;
  if (channel >= shape.channels) return;
  double sum = 0.0, squares = 0.0;
  for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
    const std::uint64_t index = static_cast<std::uint64_t>(chunk) * shape.channels + channel;
    sum += partial[2 * index];
    squares += partial[2 * index + 1];
  }
  const double count = static_cast<double>(shape.rows);
  const double shift = sum / count;
  const double mean = static_cast<double>(to_float(read[channel])) + shift;
  double variance = squares / count - shift * shift;
  variance = variance < 0.0 ? 0.0 : variance;
  what.mean[channel] = static_cast<float>(mean);
  what.inverse[channel] =
      static_cast<float>(1.0 / sqrt(variance + static_cast<double>(shape.epsilon)));
  if (what.running == nullptr) return;
  const double decay = what.decay;
  const double unbiased = variance * (count / (count > 1.0 ? count - 1.0 : 1.0));
  float& running_mean = what.running[channel];
  float& running_variance = what.running[shape.channels + channel];
  running_mean = static_cast<float>(decay * running_mean + (1.0 - decay) * mean);
  running_variance = static_cast<float>(decay * running_variance + (1.0 - decay) * unbiased);
}

__global__ void take_running_kernel(BatchNormForward what, BatchNormShape shape) {
  const std::uint32_t channel = blockIdx.x * blockDim.x + threadIdx.x;
  if (channel >= shape.channels) return;
  what.mean[channel] = what.running[channel];
  const double variance = what.running[shape.channels + channel];
  what.inverse[channel] =
      static_cast<float>(1.0 / sqrt(variance + static_cast<double>(shape.epsilon)));
}

__device__ inline float rectify(float value, Relu relu) {
  if (!relu.active) return value;
  const float low = value < 0.0f ? 0.0f : value;
  return relu.limit > 0.0f && low > relu.limit ? relu.limit : low;
}

__device__ inline bool cuts(float output, Relu relu) {
  return relu.active && (output <= 0.0f || (relu.limit > 0.0f && output >= relu.limit));
}

// What both passes need of a channel.
struct Channel {
  float mean, inverse, gamma, beta;
  __device__ float normal(float x) const { return (x - mean) * inverse; }
  __device__ float result(float x) const { return normal(x) * gamma + beta; }
};

template <typename What>
__device__ inline Channel channel_of(const What& what, std::uint32_t channel) {
  return {what.mean[channel], what.inverse[channel],
          what.gamma == nullptr ? 1.0f : what.gamma[channel],
          what.beta == nullptr ? 0.0f : what.beta[channel]};
}

template <typename T, int kPer>
__global__ void normalise_kernel(BatchNormForward what, BatchNormShape shape) {
  const std::uint64_t groups = shape.rows * shape.channels / kPer;
  for (std::uint64_t i = first_index(); i < groups; i += index_stride()) {
    const auto first = static_cast<std::uint32_t>(i * kPer % shape.channels);
    float x[kPer], other[kPer] = {};
    load<T, kPer>(x, static_cast<const T*>(what.read) + i * kPer);
    if (what.addend != nullptr) load<T, kPer>(other, static_cast<const T*>(what.addend) + i * kPer);
    for (int k = 0; k < kPer; ++k) {
      const Channel channel = channel_of(what, first + k);
      x[k] = rectify(channel.result(x[k]) + other[k], what.relu);
    }
    store<T, kPer>(static_cast<T*>(what.write) + i * kPer, x);
  }
}

// The gradient behind the relu at one place; y is the forward result there, or recomputed.
__device__ inline float masked(const BatchNormBackward& what, const Channel& channel,
                               float gradient, float x, float y) {
  if (!what.relu.active) return gradient;
  return cuts(what.output == nullptr ? channel.result(x) : y, what.relu) ? 0.0f : gradient;
}

template <typename T, int kPer>
__global__ void gradient_sums_kernel(double* partial, BatchNormBackward what, BatchNormShape shape,
                                     std::uint64_t rows_per_chunk) {
  const std::uint32_t first = (blockIdx.x * blockDim.x + threadIdx.x) * kPer;
  float sum[kPer] = {}, products[kPer] = {};
  if (first < shape.channels) {
    Channel channel[kPer];
    for (int k = 0; k < kPer; ++k) channel[k] = channel_of(what, first + k);
    const std::uint64_t begin = blockIdx.y * rows_per_chunk;
    const std::uint64_t end =
        begin + rows_per_chunk < shape.rows ? begin + rows_per_chunk : shape.rows;
    for (std::uint64_t row = begin + threadIdx.y; row < end; row += blockDim.y) {
      const std::uint64_t at = row * shape.channels + first;
      float x[kPer], g[kPer], y[kPer] = {};
      load<T, kPer>(x, static_cast<const T*>(what.read) + at);
      load<T, kPer>(g, static_cast<const T*>(what.gradient) + at);
      if (what.output != nullptr) load<T, kPer>(y, static_cast<const T*>(what.output) + at);
      for (int k = 0; k < kPer; ++k) {
        g[k] = masked(what, channel[k], g[k], x[k], y[k]);
        sum[k] += g[k];
        products[k] += g[k] * channel[k].normal(x[k]);
      }
      if (what.joins && what.relu.active) store<T, kPer>(static_cast<T*>(what.gradient) + at, g);
    }
  }
  reduce_block<kPer>(partial, sum, products, first, shape.channels);
}

// means[channel]: of the gradient; means[channels + channel]: of the gradient times the normalised
// x.
__global__ void finish_gradients_kernel(float* means, BatchNormBackward what, const double* partial,
                                        std::uint32_t chunks, BatchNormShape shape) {
  const std::uint32_t channel = blockIdx.x * blockDim.x + threadIdx.x;
  if (channel >= shape.channels) return;
  double sum = 0.0, products = 0.0;
  for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
    const std::uint64_t index = static_cast<std::uint64_t>(chunk) * shape.channels + channel;
    sum += partial[2 * index];
    products += partial[2 * index + 1];
  }
  if (what.beta_gradient != nullptr) what.beta_gradient[channel] = static_cast<float>(sum);
  if (what.gamma_gradient != nullptr) what.gamma_gradient[channel] = static_cast<float>(products);
  const double count = static_cast<double>(shape.rows);
  means[channel] = static_cast<float>(sum / count);
  means[shape.channels + channel] = static_cast<float>(products / count);
}

template <typename T, int kPer>
__global__ void differentiate_kernel(const float* means, BatchNormBackward what,
                                     BatchNormShape shape) {
  const bool cut_already = what.joins && what.relu.active;
  const std::uint64_t groups = shape.rows * shape.channels / kPer;
  for (std::uint64_t i = first_index(); i < groups; i += index_stride()) {
    const auto first = static_cast<std::uint32_t>(i * kPer % shape.channels);
    float x[kPer], g[kPer], y[kPer] = {}, before[kPer] = {};
    load<T, kPer>(x, static_cast<const T*>(what.read) + i * kPer);
    load<T, kPer>(g, static_cast<const T*>(what.gradient) + i * kPer);
    if (what.output != nullptr && !cut_already)
      load<T, kPer>(y, static_cast<const T*>(what.output) + i * kPer);
    if (what.adds) load<T, kPer>(before, static_cast<const T*>(what.write) + i * kPer);
    for (int k = 0; k < kPer; ++k) {
      const Channel channel = channel_of(what, first + k);
      const float gradient = cut_already ? g[k] : masked(what, channel, g[k], x[k], y[k]);
      const float centred =
          gradient - means[first + k] - channel.normal(x[k]) * means[shape.channels + first + k];
      x[k] = before[k] + channel.gamma * channel.inverse * centred;
    }
    store<T, kPer>(static_cast<T*>(what.write) + i * kPer, x);
  }
}

// Calls body with a value of the type and, as an integral constant, how many channels a thread
// takes.
template <int kValue>
struct Constant {
  static constexpr int value = kValue;
};

template <typename Body>
void with_shape(const BatchNormShape& shape, Body&& body) {
  with_type(shape.type, [&](auto zero) {
    using T = decltype(zero);
    if (packs_fit<T>(shape.channels))
      body(zero, Constant<kPerAccess<T>>{});
    else
      body(zero, Constant<1>{});
  });
}

unsigned per_channel_blocks(const BatchNormShape& shape) {
  return (shape.channels + kThreads - 1) / kThreads;
}

}  // namespace

std::uint64_t batch_norm_scratch(const BatchNormShape& shape) {
  const std::uint64_t channels = shape.channels;
  return 2 * kMostChunks * channels * sizeof(double) + 2 * channels * sizeof(float);
}

void batch_norm_forward(Stream stream, const BatchNormShape& shape, const BatchNormForward& what,
                        void* scratch) {
  auto* partial = static_cast<double*>(scratch);
  with_shape(shape, [&](auto zero, auto per) {
    using T = decltype(zero);
    constexpr int kPer = decltype(per)::value;
    const Cut cut = cut_rows(shape.rows, shape.channels, kPer);
    const auto* read = static_cast<const T*>(what.read);
    statistics_kernel<T, kPer>
        <<<dim3(cut.tiles, cut.chunks), dim3(cut.lanes, kThreads / cut.lanes), 0, stream>>>(
            partial, read, shape.rows, shape.channels, cut.rows_per_chunk);
    finish_statistics_kernel<<<per_channel_blocks(shape), kThreads, 0, stream>>>(
        what, read, partial, cut.chunks, shape);
    normalise_kernel<T, kPer>
        <<<blocks_for(shape.rows * shape.channels / kPer), kThreads, 0, stream>>>(what, shape);
  });
}

void batch_norm_inference(Stream stream, const BatchNormShape& shape,
                          const BatchNormForward& what) {
  take_running_kernel<<<per_channel_blocks(shape), kThreads, 0, stream>>>(what, shape);
  with_shape(shape, [&](auto zero, auto per) {
    using T = decltype(zero);
    constexpr int kPer = decltype(per)::value;
    normalise_kernel<T, kPer>
        <<<blocks_for(shape.rows * shape.channels / kPer), kThreads, 0, stream>>>(what, shape);
  });
}

void batch_norm_backward(Stream stream, const BatchNormShape& shape, const BatchNormBackward& what,
                         void* scratch) {
  auto* partial = static_cast<double*>(scratch);
  auto* means = reinterpret_cast<float*>(partial + 2ull * kMostChunks * shape.channels);
  with_shape(shape, [&](auto zero, auto per) {
    using T = decltype(zero);
    constexpr int kPer = decltype(per)::value;
    const Cut cut = cut_rows(shape.rows, shape.channels, kPer);
    gradient_sums_kernel<T, kPer>
        <<<dim3(cut.tiles, cut.chunks), dim3(cut.lanes, kThreads / cut.lanes), 0, stream>>>(
            partial, what, shape, cut.rows_per_chunk);
    finish_gradients_kernel<<<per_channel_blocks(shape), kThreads, 0, stream>>>(
        means, what, partial, cut.chunks, shape);
    differentiate_kernel<T, kPer>
        <<<blocks_for(shape.rows * shape.channels / kPer), kThreads, 0, stream>>>(means, what,
                                                                                  shape);
  });
}

}  // namespace convoy::cuda
