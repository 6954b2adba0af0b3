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

// The partial sums of a channel over all chunks, added by a column of threads in a fixed order;
// whole in the threads of row 0.
constexpr std::uint32_t kFinishChannels = 16;
constexpr std::uint32_t kFinishRows = kThreads / kFinishChannels;

__device__ inline void over_chunks(double (&total)[2], const double* partial, std::uint32_t chunks,
                                   std::uint32_t channel, std::uint32_t channels) {
  __shared__ double sums[2][kFinishRows][kFinishChannels];
  total[0] = total[1] = 0.0;
  if (channel < channels)
    for (std::uint32_t chunk = threadIdx.y; chunk < chunks; chunk += kFinishRows) {
      const std::uint64_t index = static_cast<std::uint64_t>(chunk) * channels + channel;
      total[0] += partial[2 * index];
      total[1] += partial[2 * index + 1];
    }
  for (int k = 0; k < 2; ++k) sums[k][threadIdx.y][threadIdx.x] = total[k];
  __syncthreads();
  for (std::uint32_t half = kFinishRows / 2; half > 0; half /= 2) {
    if (threadIdx.y < half)
      for (int k = 0; k < 2; ++k)
        sums[k][threadIdx.y][threadIdx.x] += sums[k][threadIdx.y + half][threadIdx.x];
    __syncthreads();
  }
  for (int k = 0; k < 2; ++k) total[k] = sums[k][0][threadIdx.x];
}

// Sums of x - pivot and its square, where the pivot is the channel's first value: large means lose
// no digits.
template <typename T, int kPer>
__global__ void statistics_kernel(double* partial, const T* read, std::uint64_t rows,
                                  std::uint32_t channels, std::uint64_t rows_per_chunk) {
  const Walk walk = walk_of<kPer>(rows, rows_per_chunk);
  float sum[kPer] = {}, squares[kPer] = {};
  if (walk.channel < channels) {
    float pivot[kPer];
    load<T, kPer>(pivot, read + walk.channel);
    const T* const from = read + walk.channel;
    const auto count = [&](const Channels<T, kPer>& pack) {
      for (int k = 0; k < kPer; ++k) {
        const float difference = to_float(pack.values[k]) - pivot[k];
        sum[k] += difference;
        squares[k] += difference * difference;
      }
    };
    std::uint64_t row = walk.row;
    for (; row + 3 * walk.stride < walk.end; row += 4 * walk.stride) {  // 4 reads under way
      Channels<T, kPer> packs[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) packs[i] = fetch<kPer>(from + (row + i * walk.stride) * channels);
#pragma unroll
      for (int i = 0; i < 4; ++i) count(packs[i]);
    }
    for (; row < walk.end; row += walk.stride) count(fetch<kPer>(from + row * channels));
  }
  reduce_block<kPer>(partial, sum, squares, walk.channel, channels);
}

template <typename T>
__global__ void finish_statistics_kernel(BatchNormForward what, const T* read,
                                         const double* partial, std::uint32_t chunks,
                                         BatchNormShape shape) {
  const std::uint32_t channel = blockIdx.x * kFinishChannels + threadIdx.x;
  double total[2];
  over_chunks(total, partial, chunks, channel, shape.channels);
  if (threadIdx.y != 0 || channel >= shape.channels) return;
  const double count = static_cast<double>(shape.rows);
  const double shift = total[0] / count;
  const double mean = static_cast<double>(to_float(read[channel])) + shift;
  double variance = total[1] / count - shift * shift;
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

// Rows that a thread has in work at once, so that enough reads are under way.
constexpr int kRowsAtOnce = 2;

template <typename T, int kPer>
__global__ void normalise_kernel(BatchNormForward what, BatchNormShape shape,
                                 std::uint64_t rows_per_chunk) {
  const Walk walk = walk_of<kPer>(shape.rows, rows_per_chunk);
  if (walk.channel >= shape.channels) return;
  Channel channel[kPer];
  for (int k = 0; k < kPer; ++k) channel[k] = channel_of(what, walk.channel + k);
  for (std::uint64_t row = walk.row; row < walk.end; row += kRowsAtOnce * walk.stride) {
    Channels<T, kPer> x[kRowsAtOnce], other[kRowsAtOnce];
#pragma unroll
    for (int i = 0; i < kRowsAtOnce; ++i) {
      if (row + i * walk.stride >= walk.end) continue;
      const std::uint64_t at = (row + i * walk.stride) * shape.channels + walk.channel;
      x[i] = fetch<kPer>(static_cast<const T*>(what.read) + at);
      if (what.addend != nullptr) other[i] = fetch<kPer>(static_cast<const T*>(what.addend) + at);
    }
#pragma unroll
    for (int i = 0; i < kRowsAtOnce; ++i) {
      if (row + i * walk.stride >= walk.end) continue;
      float y[kPer];
      for (int k = 0; k < kPer; ++k) {
        const float sum = what.addend != nullptr ? to_float(other[i].values[k]) : 0.0f;
        y[k] = rectify(channel[k].result(to_float(x[i].values[k])) + sum, what.relu);
      }
      const std::uint64_t at = (row + i * walk.stride) * shape.channels + walk.channel;
      store<T, kPer>(static_cast<T*>(what.write) + at, y);
    }
  }
}

// The gradient behind the relu at one place; y is the forward result there, or recomputed.
__device__ inline float masked(const BatchNormBackward& what, const Channel& channel,
                               float gradient, float x, float y) {
  if (!what.relu.active) return gradient;
  return cuts(what.output == nullptr ? channel.result(x) : y, what.relu) ? 0.0f : gradient;
}

// What the backward pass reads of one row.
template <typename T, int kPer>
struct Row {
  Channels<T, kPer> x, g, y;
};

template <int kPer, typename T>
__device__ inline Row<T, kPer> fetch_row(const BatchNormBackward& what, bool reads_output,
                                         std::uint64_t at, T) {
  Row<T, kPer> row;
  row.x = fetch<kPer>(static_cast<const T*>(what.read) + at);
  row.g = fetch<kPer>(static_cast<const T*>(what.gradient) + at);
  if (reads_output) row.y = fetch<kPer>(static_cast<const T*>(what.output) + at);
  return row;
}

template <typename T, int kPer>
__global__ void gradient_sums_kernel(double* partial, BatchNormBackward what, BatchNormShape shape,
                                     std::uint64_t rows_per_chunk) {
  const Walk walk = walk_of<kPer>(shape.rows, rows_per_chunk);
  float sum[kPer] = {}, products[kPer] = {};
  if (walk.channel < shape.channels) {
    Channel channel[kPer];
    for (int k = 0; k < kPer; ++k) channel[k] = channel_of(what, walk.channel + k);
    const bool reads_output = what.output != nullptr;
    const bool writes = what.joins && what.relu.active;
    const bool adds = what.other != nullptr;
    for (std::uint64_t row = walk.row; row < walk.end; row += kRowsAtOnce * walk.stride) {
      Row<T, kPer> rows[kRowsAtOnce];
      Channels<T, kPer> others[kRowsAtOnce];
#pragma unroll
      for (int i = 0; i < kRowsAtOnce; ++i) {
        if (row + i * walk.stride >= walk.end) continue;
        const std::uint64_t at = (row + i * walk.stride) * shape.channels + walk.channel;
        rows[i] = fetch_row<kPer>(what, reads_output, at, T{});
        if (adds) others[i] = fetch<kPer>(static_cast<const T*>(what.other) + at);
      }
#pragma unroll
      for (int i = 0; i < kRowsAtOnce; ++i) {
        if (row + i * walk.stride >= walk.end) continue;
        float g[kPer];
        for (int k = 0; k < kPer; ++k) {
          const float x = to_float(rows[i].x.values[k]);
          const float y = reads_output ? to_float(rows[i].y.values[k]) : 0.0f;
          const float whole =
              to_float(rows[i].g.values[k]) + (adds ? to_float(others[i].values[k]) : 0.0f);
          g[k] = masked(what, channel[k], whole, x, y);
          sum[k] += g[k];
          products[k] += g[k] * channel[k].normal(x);
        }
        const std::uint64_t at = (row + i * walk.stride) * shape.channels + walk.channel;
        if (writes) store<T, kPer>(static_cast<T*>(what.gradient) + at, g);
      }
    }
  }
  reduce_block<kPer>(partial, sum, products, walk.channel, shape.channels);
}

// means[channel]: of the gradient; means[channels + channel]: of the gradient times the normalised
// x.
__global__ void finish_gradients_kernel(float* means, BatchNormBackward what, const double* partial,
                                        std::uint32_t chunks, BatchNormShape shape) {
  const std::uint32_t channel = blockIdx.x * kFinishChannels + threadIdx.x;
  double total[2];
  over_chunks(total, partial, chunks, channel, shape.channels);
  if (threadIdx.y != 0 || channel >= shape.channels) return;
  if (what.beta_gradient != nullptr) what.beta_gradient[channel] = static_cast<float>(total[0]);
  if (what.gamma_gradient != nullptr) what.gamma_gradient[channel] = static_cast<float>(total[1]);
  const double count = static_cast<double>(shape.rows);
  means[channel] = static_cast<float>(total[0] / count);
  means[shape.channels + channel] = static_cast<float>(total[1] / count);
}

template <typename T, int kPer>
__global__ void differentiate_kernel(const float* means, BatchNormBackward what,
                                     BatchNormShape shape, std::uint64_t rows_per_chunk) {
  const Walk walk = walk_of<kPer>(shape.rows, rows_per_chunk);
  if (walk.channel >= shape.channels) return;
  const bool cut_already = what.joins && what.relu.active;
  const bool reads_output = what.output != nullptr && !cut_already;
  Channel channel[kPer];
  float mean[kPer], product[kPer];
  for (int k = 0; k < kPer; ++k) {
    channel[k] = channel_of(what, walk.channel + k);
    mean[k] = means[walk.channel + k];
    product[k] = means[shape.channels + walk.channel + k];
  }
  for (std::uint64_t row = walk.row; row < walk.end; row += kRowsAtOnce * walk.stride) {
    Row<T, kPer> rows[kRowsAtOnce];
    Channels<T, kPer> before[kRowsAtOnce];
#pragma unroll
    for (int i = 0; i < kRowsAtOnce; ++i) {
      if (row + i * walk.stride >= walk.end) continue;
      const std::uint64_t at = (row + i * walk.stride) * shape.channels + walk.channel;
      rows[i] = fetch_row<kPer>(what, reads_output, at, T{});
      if (what.adds) before[i] = fetch<kPer>(static_cast<const T*>(what.write) + at);
    }
#pragma unroll
    for (int i = 0; i < kRowsAtOnce; ++i) {
      if (row + i * walk.stride >= walk.end) continue;
      float result[kPer];
      for (int k = 0; k < kPer; ++k) {
        const float x = to_float(rows[i].x.values[k]);
        const float y = reads_output ? to_float(rows[i].y.values[k]) : 0.0f;
        const float g = to_float(rows[i].g.values[k]);
        const float gradient = cut_already ? g : masked(what, channel[k], g, x, y);
        const float centred = gradient - mean[k] - channel[k].normal(x) * product[k];
        result[k] = (what.adds ? to_float(before[i].values[k]) : 0.0f) +
                    channel[k].gamma * channel[k].inverse * centred;
      }
      const std::uint64_t at = (row + i * walk.stride) * shape.channels + walk.channel;
      store<T, kPer>(static_cast<T*>(what.write) + at, result);
    }
  }
}

unsigned per_channel_blocks(const BatchNormShape& shape) {
  return (shape.channels + kThreads - 1) / kThreads;
}

unsigned finish_blocks(const BatchNormShape& shape) {
  return (shape.channels + kFinishChannels - 1) / kFinishChannels;
}

dim3 finish_threads() {
  return dim3(kFinishChannels, kFinishRows);
}

template <typename T, int kPer>
void normalise(Stream stream, const BatchNormShape& shape, const BatchNormForward& what) {
  const Cut cut = cut_for_rows(shape.rows, shape.channels, kPer);
  normalise_kernel<T, kPer>
      <<<grid_of(cut), block_of(cut), 0, stream>>>(what, shape, cut.rows_per_chunk);
}

}  // namespace

std::uint64_t batch_norm_scratch(const BatchNormShape& shape) {
  const std::uint64_t channels = shape.channels;
  return 2 * kMostChunks * channels * sizeof(double) + 2 * channels * sizeof(float);
}

void batch_norm_forward(Stream stream, const BatchNormShape& shape, const BatchNormForward& what,
                        void* scratch) {
  auto* partial = static_cast<double*>(scratch);
  with_packs(shape.type, shape.channels, [&](auto zero, auto per) {
    using T = decltype(zero);
    constexpr int kPer = decltype(per)::value;
    const Cut cut = cut_for_sums(shape.rows, shape.channels, kPer);
    const auto* read = static_cast<const T*>(what.read);
    statistics_kernel<T, kPer><<<grid_of(cut), block_of(cut), 0, stream>>>(
        partial, read, shape.rows, shape.channels, cut.rows_per_chunk);
    finish_statistics_kernel<<<finish_blocks(shape), finish_threads(), 0, stream>>>(
        what, read, partial, cut.chunks, shape);
    normalise<T, kPer>(stream, shape, what);
  });
}

void batch_norm_inference(Stream stream, const BatchNormShape& shape,
                          const BatchNormForward& what) {
  take_running_kernel<<<per_channel_blocks(shape), kThreads, 0, stream>>>(what, shape);
  with_packs(shape.type, shape.channels, [&](auto zero, auto per) {
    using T = decltype(zero);
    constexpr int kPer = decltype(per)::value;
    normalise<T, kPer>(stream, shape, what);
  });
}

void batch_norm_backward(Stream stream, const BatchNormShape& shape, const BatchNormBackward& what,
                         void* scratch) {
  auto* partial = static_cast<double*>(scratch);
  auto* means = reinterpret_cast<float*>(partial + 2ull * kMostChunks * shape.channels);
  with_packs(shape.type, shape.channels, [&](auto zero, auto per) {
    using T = decltype(zero);
    constexpr int kPer = decltype(per)::value;
    const Cut cut = cut_for_sums(shape.rows, shape.channels, kPer);
    gradient_sums_kernel<T, kPer>
        <<<grid_of(cut), block_of(cut), 0, stream>>>(partial, what, shape, cut.rows_per_chunk);
    finish_gradients_kernel<<<finish_blocks(shape), finish_threads(), 0, stream>>>(
        means, what, partial, cut.chunks, shape);
    const Cut rows = cut_for_rows(shape.rows, shape.channels, kPer);
    differentiate_kernel<T, kPer>
        <<<grid_of(rows), block_of(rows), 0, stream>>>(means, what, shape, rows.rows_per_chunk);
  });
}

}  // namespace convoy::cuda
