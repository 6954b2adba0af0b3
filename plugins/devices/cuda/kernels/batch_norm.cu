#include "plugins/devices/cuda/kernels/batch_norm_channel.cuh"

namespace convoy::cuda {
namespace {

// Sums x - pivot and its square, where the pivot is the channel's first value, so that large means
// lose no digits.
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
    for (; row + 3 * walk.stride < walk.end; row += 4 * walk.stride) {  // 4 reads in flight
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
  over_chunks<2>(total, partial, chunks, channel, shape.channels);
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

unsigned per_channel_blocks(const BatchNormShape& shape) {
  return (shape.channels + kThreads - 1) / kThreads;
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
    finish_statistics_kernel<<<finish_blocks(shape.channels), finish_threads(), 0, stream>>>(
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

}  // namespace convoy::cuda
