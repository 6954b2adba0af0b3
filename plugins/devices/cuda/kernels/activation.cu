#include "plugins/devices/cuda/kernels/activation.hpp"

#include "plugins/devices/cuda/kernels/chunk_sums.cuh"
#include "plugins/devices/cuda/kernels/random_bits.cuh"
#include "plugins/devices/shared/dropout_mask.hpp"

namespace convoy::cuda {
namespace {

// NaN passes through, so that a diverged run is noticed.
__device__ inline float rectified(float value, Relu relu) {
  if (!relu.active) return value;
  const float low = value < 0.0f ? 0.0f : value;
  return relu.limit > 0.0f && low > relu.limit ? relu.limit : low;
}

__device__ inline bool is_cut(float output, float limit) {
  return output <= 0.0f || (limit > 0.0f && output >= limit);
}

template <typename T>
__global__ void join_kernel(T* write, const T* a, const T* b, Relu relu, std::uint64_t packs,
                            std::uint64_t count) {
  constexpr int kPer = kPerAccess<T>;
  for (std::uint64_t i = first_index(); i < packs; i += index_stride()) {
    Pack<T> x = reinterpret_cast<const Pack<T>*>(a)[i];
    Pack<T> y = x;
    if (b != nullptr) y = reinterpret_cast<const Pack<T>*>(b)[i];
    for (int k = 0; k < kPer; ++k) {
      const float other = b != nullptr ? to_float(y.values[k]) : 0.0f;
      x.values[k] = from_float<T>(rectified(to_float(x.values[k]) + other, relu));
    }
    reinterpret_cast<Pack<T>*>(write)[i] = x;
  }
  for (std::uint64_t i = packs * kPer + first_index(); i < count; i += index_stride()) {
    const float other = b != nullptr ? to_float(b[i]) : 0.0f;
    write[i] = from_float<T>(rectified(to_float(a[i]) + other, relu));
  }
}

template <typename T>
__global__ void relu_backward_kernel(T* gradient, const T* output, float limit, std::uint64_t packs,
                                     std::uint64_t count) {
  constexpr int kPer = kPerAccess<T>;
  for (std::uint64_t i = first_index(); i < packs; i += index_stride()) {
    Pack<T> g = reinterpret_cast<Pack<T>*>(gradient)[i];
    const Pack<T> y = reinterpret_cast<const Pack<T>*>(output)[i];
    for (int k = 0; k < kPer; ++k)
      if (is_cut(to_float(y.values[k]), limit)) g.values[k] = from_float<T>(0.0f);
    reinterpret_cast<Pack<T>*>(gradient)[i] = g;
  }
  for (std::uint64_t i = packs * kPer + first_index(); i < count; i += index_stride())
    if (is_cut(to_float(output[i]), limit)) gradient[i] = from_float<T>(0.0f);
}

template <typename T, int kPer>
__global__ void bias_kernel(T* x, const float* bias, Relu relu, std::uint64_t rows,
                            std::uint32_t channels, std::uint64_t rows_per_chunk) {
  const Walk walk = walk_of<kPer>(rows, rows_per_chunk);
  if (walk.channel >= channels) return;
  float own[kPer];
  for (int k = 0; k < kPer; ++k) own[k] = bias[walk.channel + k];
  for (std::uint64_t row = walk.row; row < walk.end; row += walk.stride) {
    T* const at = x + row * channels + walk.channel;
    float values[kPer];
    load<T, kPer>(values, at);
    for (int k = 0; k < kPer; ++k) values[k] = rectified(values[k] + own[k], relu);
    store<T, kPer>(at, values);
  }
}

// A thread adds up its part of a chunk, some hundred rows, in f32; everything else is f64.
template <typename T, int kPer>
__global__ void column_chunk_kernel(double* partial, const T* gradient, std::uint64_t rows,
                                    std::uint32_t channels, std::uint64_t rows_per_chunk) {
  const Walk walk = walk_of<kPer>(rows, rows_per_chunk);
  float own[kPer] = {};
  if (walk.channel < channels)
    for (std::uint64_t row = walk.row; row < walk.end; row += walk.stride) {
      float values[kPer];
      load<T, kPer>(values, gradient + row * channels + walk.channel);
      for (int k = 0; k < kPer; ++k) own[k] += values[k];
    }
  add_up_chunk(partial, own, walk.channel, channels);
}

__global__ void column_finish_kernel(float* write, const double* partial, std::uint32_t channels,
                                     std::uint32_t chunks) {
  add_up_chunks(write, partial, channels, chunks);
}

template <typename T, int kPer>
__global__ void channel_copy_kernel(T* write, const T* read, ChannelCopy what,
                                    std::uint64_t rows_per_chunk) {
  const Walk walk = walk_of<kPer>(what.rows, rows_per_chunk);
  if (walk.channel >= what.channels) return;
  for (std::uint64_t row = walk.row; row < walk.end; row += walk.stride) {
    T* const to = write + row * what.write_channels + what.write_first + walk.channel;
    float values[kPer];
    load<T, kPer>(values, read + row * what.read_channels + what.read_first + walk.channel);
    if (what.adds) {
      float before[kPer];
      load<T, kPer>(before, to);
      for (int k = 0; k < kPer; ++k) values[k] = before[k] + values[k];
    }
    store<T, kPer>(to, values);
  }
}

template <typename To, typename From>
__global__ void permute_kernel(To* write, const From* read, Permutation order,
                               std::uint64_t count) {
  for (std::uint64_t i = first_index(); i < count; i += index_stride()) {
    std::uint64_t rest = i, to = 0, from = 0;
    for (int d = 3; d >= 0; --d) {
      const std::uint64_t index = split(rest, order.sizes[d]);
      to += index * order.write_strides[d];
      from += index * order.read_strides[d];
    }
    write[to] = from_float<To>(to_float(read[from]));
  }
}

// A thread takes one cell, so neighbouring threads read and write neighbouring memory.
template <typename T>
__global__ void interleave_kernel(T* write, const float* planes, std::uint64_t cells,
                                  std::uint32_t channels) {
  const std::uint64_t image = static_cast<std::uint64_t>(blockIdx.y) * cells * channels;
  for (std::uint64_t cell = first_index(); cell < cells; cell += index_stride())
    for (std::uint32_t channel = 0; channel < channels; ++channel)
      write[image + cell * channels + channel] =
          from_float<T>(planes[image + channel * cells + cell]);
}

template <typename T>
__global__ void dropout_kernel(T* write, const T* read, Dropout what, std::uint64_t count) {
  const std::uint64_t image_size = static_cast<std::uint64_t>(what.channels) * what.cells;
  const std::uint64_t key = mix_key(what.key, what.step_at == nullptr ? what.step : *what.step_at);
  for (std::uint64_t i = first_index(); i < count; i += index_stride()) {
    const std::uint64_t image = i / image_size;
    const std::uint64_t inside = i % image_size;
    const std::uint64_t number =
        image * image_size + inside % what.channels * what.cells + inside / what.channels;
    const bool kept = random_bits(static_cast<std::uint32_t>(number), key) < what.threshold;
    write[i] = from_float<T>(kept ? what.factor * to_float(read[i]) : 0.0f);
  }
}

}  // namespace

void join(Stream stream, Type type, void* write, const void* a, const void* b, Relu relu,
          std::uint64_t count) {
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    const bool aligned = is_aligned(write) && is_aligned(a) && is_aligned(b);
    const std::uint64_t packs = aligned ? count / kPerAccess<T> : 0;
    join_kernel<<<blocks_for(aligned ? packs : count), kThreads, 0, stream>>>(
        static_cast<T*>(write), static_cast<const T*>(a), static_cast<const T*>(b), relu, packs,
        count);
  });
}

void relu_backward(Stream stream, Type type, void* gradient, const void* output, float limit,
                   std::uint64_t count) {
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    const bool aligned = is_aligned(gradient) && is_aligned(output);
    const std::uint64_t packs = aligned ? count / kPerAccess<T> : 0;
    relu_backward_kernel<<<blocks_for(aligned ? packs : count), kThreads, 0, stream>>>(
        static_cast<T*>(gradient), static_cast<const T*>(output), limit, packs, count);
  });
}

void add_bias(Stream stream, Type type, void* x, const float* bias, Relu relu, std::uint64_t rows,
              std::uint32_t channels) {
  with_packs(type, channels, [&](auto zero, auto per) {
    using T = decltype(zero);
    constexpr int kPer = decltype(per)::value;
    const Cut cut = cut_for_rows(rows, channels, kPer);
    bias_kernel<T, kPer><<<grid_of(cut), block_of(cut), 0, stream>>>(
        static_cast<T*>(x), bias, relu, rows, channels, cut.rows_per_chunk);
  });
}

std::uint64_t column_sum_scratch(std::uint32_t channels) {
  return std::uint64_t{kMostChunks} * channels * sizeof(double);
}

void column_sums(Stream stream, Type type, float* write, const void* gradient, std::uint64_t rows,
                 std::uint32_t channels, void* scratch) {
  auto* partial = static_cast<double*>(scratch);
  with_packs(type, channels, [&](auto zero, auto per) {
    using T = decltype(zero);
    constexpr int kPer = decltype(per)::value;
    const Cut cut = cut_for_sums(rows, channels, kPer);
    column_chunk_kernel<T, kPer><<<grid_of(cut), block_of(cut), 0, stream>>>(
        partial, static_cast<const T*>(gradient), rows, channels, cut.rows_per_chunk);
    column_finish_kernel<<<finish_blocks(channels), finish_threads(), 0, stream>>>(
        write, partial, channels, cut.chunks);
  });
}

// Accesses of 16 bytes require that every row of both tensors, and the first channel, are aligned
// to them.
void copy_channels(Stream stream, Type type, const ChannelCopy& what) {
  const std::uint32_t all =
      what.channels | what.write_channels | what.write_first | what.read_channels | what.read_first;
  with_packs(type, all, [&](auto zero, auto per) {
    using T = decltype(zero);
    constexpr int kPer = decltype(per)::value;
    const Cut cut = cut_for_rows(what.rows, what.channels, kPer);
    channel_copy_kernel<T, kPer><<<grid_of(cut), block_of(cut), 0, stream>>>(
        static_cast<T*>(what.write), static_cast<const T*>(what.read), what, cut.rows_per_chunk);
  });
}

void permute(Stream stream, void* write, Type to, const void* read, Type from,
             const Permutation& order) {
  std::uint64_t count = 1;
  for (const std::uint32_t size : order.sizes) count *= size;
  with_type(to, [&](auto target) {
    with_type(from, [&](auto source) {
      permute_kernel<<<blocks_for(count), kThreads, 0, stream>>>(
          static_cast<decltype(target)*>(write), static_cast<const decltype(source)*>(read), order,
          count);
    });
  });
}

// Images are the grid's second dimension.
void interleave(Stream stream, void* write, Type type, const float* planes, std::uint64_t images,
                std::uint64_t cells, std::uint32_t channels) {
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    for (std::uint64_t first = 0; first < images; first += kMostGridRows) {
      const std::uint64_t rest = images - first;
      const auto now = static_cast<unsigned>(rest < kMostGridRows ? rest : kMostGridRows);
      const std::uint64_t offset = first * cells * channels;
      interleave_kernel<<<dim3(blocks_for(cells), now), kThreads, 0, stream>>>(
          static_cast<T*>(write) + offset, planes + offset, cells, channels);
    }
  });
}

void dropout(Stream stream, Type type, void* write, const void* read, const Dropout& what,
             std::uint64_t count) {
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    dropout_kernel<<<blocks_for(count), kThreads, 0, stream>>>(
        static_cast<T*>(write), static_cast<const T*>(read), what, count);
  });
}

}  // namespace convoy::cuda
