#include "plugins/devices/cuda/kernels/channel_factors.hpp"

#include "plugins/devices/cuda/kernels/chunk_sums.cuh"

namespace convoy::cuda {
namespace {

// cells: the number of rows that share a row of factors.
template <typename T, typename F, int kPer>
__global__ void scale_channels_kernel(T* write, const T* read, const F* factors, bool adds,
                                      std::uint64_t rows, std::uint64_t cells,
                                      std::uint32_t channels, std::uint64_t rows_per_chunk) {
  const Walk walk = walk_of<kPer>(rows, rows_per_chunk);
  if (walk.channel >= channels) return;
  for (std::uint64_t row = walk.row; row < walk.end; row += walk.stride) {
    const std::uint64_t at = row * channels + walk.channel;
    float values[kPer], own[kPer], before[kPer] = {};
    load<T, kPer>(values, read + at);
    load<F, kPer>(own, factors + row / cells * channels + walk.channel);
    if (adds) load<T, kPer>(before, write + at);
    for (int k = 0; k < kPer; ++k) values[k] = before[k] + values[k] * own[k];
    store<T, kPer>(write + at, values);
  }
}

// partial[chunk][channel]: sums of gradient * read over the rows of a chunk.
template <typename T, int kPer>
__global__ void product_sums_kernel(double* partial, const T* gradient, const T* read,
                                    std::uint64_t rows, std::uint32_t channels,
                                    std::uint64_t rows_per_chunk) {
  const Walk walk = walk_of<kPer>(rows, rows_per_chunk);
  float own[kPer] = {};
  if (walk.channel < channels)
    for (std::uint64_t row = walk.row; row < walk.end; row += walk.stride) {
      const std::uint64_t at = row * channels + walk.channel;
      float g[kPer], x[kPer];
      load<T, kPer>(g, gradient + at);
      load<T, kPer>(x, read + at);
      for (int k = 0; k < kPer; ++k) own[k] += g[k] * x[k];
    }
  add_up_chunk(partial, own, walk.channel, channels);
}

__global__ void factor_finish_kernel(float* write, const double* partial, std::uint32_t channels,
                                     std::uint32_t chunks) {
  add_up_chunks(write, partial, channels, chunks);
}

template <typename T>
__global__ void factor_store_kernel(T* write, const double* partial, bool adds,
                                    std::uint64_t count) {
  for (std::uint64_t i = first_index(); i < count; i += index_stride()) {
    const float own = static_cast<float>(partial[i]);
    write[i] = from_float<T>(adds ? to_float(write[i]) + own : own);
  }
}

// The chunks of the sums; if each image has factors of its own, a chunk is an image.
Cut cut_of(const FactoredShape& shape, int per) {
  Cut cut = cut_for_sums(shape.rows(), shape.channels, per);
  if (!shape.factor_per_image) return cut;
  cut.rows_per_chunk = shape.cells;
  cut.chunks = static_cast<std::uint32_t>(shape.images);
  return cut;
}

// Makes as many launches as the chunks need.
template <typename T, int kPer>
void sum_products(Stream stream, const Cut& cut, double* partial, const T* gradient, const T* read,
                  const FactoredShape& shape) {
  for (std::uint32_t first = 0; first < cut.chunks; first += kMostGridRows) {
    const std::uint32_t rest = cut.chunks - first;
    Cut now = cut;
    now.chunks = rest < kMostGridRows ? rest : kMostGridRows;
    const std::uint64_t row = first * cut.rows_per_chunk;
    product_sums_kernel<T, kPer><<<grid_of(now), block_of(now), 0, stream>>>(
        partial + static_cast<std::uint64_t>(first) * shape.channels,
        gradient + row * shape.channels, read + row * shape.channels, shape.rows() - row,
        shape.channels, cut.rows_per_chunk);
  }
}

// Returns the number of channels for with_packs(). It is odd if the factors are not aligned for
// accesses of as many factors as activations.
std::uint32_t channels_to_pack(const FactoredShape& shape, const void* factors) {
  const std::size_t access = 16 / bytes_of(shape.type) * sizeof(float);
  const bool fits = reinterpret_cast<std::uintptr_t>(factors) % access == 0;
  return shape.factor_per_image || fits ? shape.channels : 1;
}

}  // namespace

void scale_channels(Stream stream, const FactoredShape& shape, void* write, const void* read,
                    const void* factors, bool adds) {
  with_packs(shape.type, channels_to_pack(shape, factors), [&](auto zero, auto per) {
    using T = decltype(zero);
    constexpr int kPer = decltype(per)::value;
    const Cut cut = cut_for_rows(shape.rows(), shape.channels, kPer);
    if (shape.factor_per_image)
      scale_channels_kernel<T, T, kPer><<<grid_of(cut), block_of(cut), 0, stream>>>(
          static_cast<T*>(write), static_cast<const T*>(read), static_cast<const T*>(factors), adds,
          shape.rows(), shape.cells, shape.channels, cut.rows_per_chunk);
    else
      scale_channels_kernel<T, float, kPer><<<grid_of(cut), block_of(cut), 0, stream>>>(
          static_cast<T*>(write), static_cast<const T*>(read), static_cast<const float*>(factors),
          adds, shape.rows(), shape.rows(), shape.channels, cut.rows_per_chunk);
  });
}

std::uint64_t factor_scratch(const FactoredShape& shape) {
  const std::uint64_t chunks = shape.factor_per_image ? shape.images : kMostChunks;
  return chunks * shape.channels * sizeof(double);
}

void factor_gradients(Stream stream, const FactoredShape& shape, void* write, const void* gradient,
                      const void* read, bool adds, void* scratch) {
  auto* partial = static_cast<double*>(scratch);
  with_packs(shape.type, shape.channels, [&](auto zero, auto per) {
    using T = decltype(zero);
    constexpr int kPer = decltype(per)::value;
    const Cut cut = cut_of(shape, kPer);
    sum_products<T, kPer>(stream, cut, partial, static_cast<const T*>(gradient),
                          static_cast<const T*>(read), shape);
    const std::uint64_t count = shape.images * shape.channels;
    if (shape.factor_per_image)
      factor_store_kernel<<<blocks_for(count), kThreads, 0, stream>>>(static_cast<T*>(write),
                                                                      partial, adds, count);
    else
      factor_finish_kernel<<<finish_blocks(shape.channels), finish_threads(), 0, stream>>>(
          static_cast<float*>(write), partial, shape.channels, cut.chunks);
  });
}

}  // namespace convoy::cuda
