#include "plugins/devices/cuda/kernels/batch_norm_channel.cuh"

namespace convoy::cuda {
namespace {

// Returns the gradient behind the relu at one position; y is the forward result there, or
// recomputed.
__device__ inline float masked(const BatchNormBackward& what, const Channel& channel,
                               float gradient, float x, float y) {
  if (!what.relu.active) return gradient;
  return cuts(what.output == nullptr ? channel.result(x) : y, what.relu) ? 0.0f : gradient;
}

// The values of one row that the backward pass reads.
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

// means[channel]: mean of the gradient; means[channels + channel]: mean of the gradient times the
// normalised x.
__global__ void finish_gradients_kernel(float* means, BatchNormBackward what, const double* partial,
                                        std::uint32_t chunks, BatchNormShape shape) {
  const std::uint32_t channel = blockIdx.x * kFinishChannels + threadIdx.x;
  double total[2];
  over_chunks<2>(total, partial, chunks, channel, shape.channels);
  if (threadIdx.y != 0 || channel >= shape.channels) return;
  if (what.beta_gradient != nullptr) what.beta_gradient[channel] = static_cast<float>(total[0]);
  if (what.gamma_gradient != nullptr) what.gamma_gradient[channel] = static_cast<float>(total[1]);
  const double count = static_cast<double>(shape.rows);
  means[channel] = static_cast<float>(total[0] / count);
  means[shape.channels + channel] = static_cast<float>(total[1] / count);
}

// Returns the gradient of one value before normalisation; g and y as in `masked`. mean and product:
// the channel's means.
__device__ inline float differentiated(const BatchNormBackward& what, const Channel& channel,
                                       float mean, float product, float g, float x, float y) {
  const bool cut_already = what.joins && what.relu.active;
  const float gradient = cut_already ? g : masked(what, channel, g, x, y);
  const float centred = gradient - mean - channel.normal(x) * product;
  return channel.gamma * channel.inverse * centred;
}

template <typename T, int kPer>
__global__ void differentiate_kernel(const float* means, BatchNormBackward what,
                                     BatchNormShape shape, std::uint64_t rows_per_chunk) {
  const Walk walk = walk_of<kPer>(shape.rows, rows_per_chunk);
  if (walk.channel >= shape.channels) return;
  const bool reads_output = what.output != nullptr && !(what.joins && what.relu.active);
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
        result[k] = (what.adds ? to_float(before[i].values[k]) : 0.0f) +
                    differentiated(what, channel[k], mean[k], product[k], g, x, y);
      }
      const std::uint64_t at = (row + i * walk.stride) * shape.channels + walk.channel;
      store<T, kPer>(static_cast<T*>(what.write) + at, result);
    }
  }
}

}  // namespace

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
    finish_gradients_kernel<<<finish_blocks(shape.channels), finish_threads(), 0, stream>>>(
        means, what, partial, cut.chunks, shape);
    const Cut rows = cut_for_rows(shape.rows, shape.channels, kPer);
    differentiate_kernel<T, kPer>
        <<<grid_of(rows), block_of(rows), 0, stream>>>(means, what, shape, rows.rows_per_chunk);
  });
}

}  // namespace convoy::cuda
