#include "plugins/devices/cuda/kernels/window.hpp"

#include "plugins/devices/cuda/kernels/channel_rows.cuh"

namespace convoy::cuda {
namespace {

constexpr std::uint32_t kWeightChunks = 64;  // partial sums per weight

// An element of an NHWC tensor.
struct Place {
  std::uint32_t channel, x, y;
  std::uint64_t image;
};

// index <- index / by; the rest is returned. Divisions of 64 bits cost several times as much.
__device__ inline std::uint32_t split(std::uint64_t& index, std::uint32_t by) {
  if (index > 0xffffffffu) {
    const auto rest = static_cast<std::uint32_t>(index % by);
    index /= by;
    return rest;
  }
  const auto small = static_cast<std::uint32_t>(index);
  index = small / by;
  return small % by;
}

__device__ inline Place place_of(std::uint64_t index, std::uint32_t channels, std::uint32_t width,
                                 std::uint32_t height) {
  Place place;
  place.channel = split(index, channels);
  place.x = split(index, width);
  place.y = split(index, height);
  place.image = index;
  return place;
}

// The first channel of a pack of kPer channels.
template <int kPer>
__device__ inline Place place_of_pack(std::uint64_t pack, std::uint32_t channels,
                                      std::uint32_t width, std::uint32_t height) {
  Place place = place_of(pack, channels / kPer, width, height);
  place.channel *= kPer;
  return place;
}

__device__ inline std::uint64_t input_index(const Windows& s, const Place& p, std::uint32_t y,
                                            std::uint32_t x) {
  return ((p.image * s.in_height + y) * s.in_width + x) * s.channels + p.channel;
}

__device__ inline std::uint64_t output_index(const Windows& s, const Place& p, std::uint32_t y,
                                             std::uint32_t x) {
  return ((p.image * s.out_height + y) * s.out_width + x) * s.channels + p.channel;
}

// Calls use(y, x, cell) for the real cells of the window of an output.
template <typename Use>
__device__ inline void for_cells(const Windows& s, const Place& p, Use&& use) {
  for (std::uint32_t ky = 0; ky < s.kernel_height; ++ky) {
    const std::uint32_t y = p.y * s.stride_height + ky - s.pad_top;  // wraps where it is negative
    if (y >= s.in_height) continue;
    for (std::uint32_t kx = 0; kx < s.kernel_width; ++kx) {
      const std::uint32_t x = p.x * s.stride_width + kx - s.pad_left;
      if (x < s.in_width) use(y, x, ky * s.kernel_width + kx);
    }
  }
}

// Calls use(y, x, cell) for the outputs whose windows hold an input, as their `cell`.
template <typename Use>
__device__ inline void for_windows(const Windows& s, const Place& p, Use&& use) {
  for (std::uint32_t ky = 0; ky < s.kernel_height; ++ky) {
    const std::uint32_t from_y = p.y + s.pad_top - ky;  // wraps where it is negative
    if (from_y % s.stride_height != 0 || from_y > p.y + s.pad_top) continue;
    const std::uint32_t y = from_y / s.stride_height;
    if (y >= s.out_height) continue;
    for (std::uint32_t kx = 0; kx < s.kernel_width; ++kx) {
      const std::uint32_t from_x = p.x + s.pad_left - kx;
      if (from_x % s.stride_width != 0 || from_x > p.x + s.pad_left) continue;
      const std::uint32_t x = from_x / s.stride_width;
      if (x < s.out_width) use(y, x, ky * s.kernel_width + kx);
    }
  }
}

template <typename T>
__device__ inline void put(T& to, float value, bool adds) {
  to = from_float<T>(adds ? to_float(to) + value : value);
}

template <typename T, int kPer>
__device__ inline void put_pack(T* to, float (&values)[kPer], bool adds) {
  if (adds) {
    float before[kPer];
    load<T, kPer>(before, to);
    for (int k = 0; k < kPer; ++k) values[k] = before[k] + values[k];
  }
  store<T, kPer>(to, values);
}

// The first of equal cells; not-a-number wins, so that a diverged run is seen. Here and below,
// `packs` are of kPer channels, which one thread takes.
template <typename T, int kPer>
__global__ void max_kernel(Windows s, T* write, const T* read, std::uint8_t* record,
                           std::uint64_t packs) {
  for (std::uint64_t i = first_index(); i < packs; i += index_stride()) {
    const Place p = place_of_pack<kPer>(i, s.channels, s.out_width, s.out_height);
    float best[kPer] = {};
    Channels<std::uint8_t, kPer> where{};
    bool first = true;
    for_cells(s, p, [&](std::uint32_t y, std::uint32_t x, std::uint32_t cell) {
      float values[kPer];
      load<T, kPer>(values, read + input_index(s, p, y, x));
      for (int k = 0; k < kPer; ++k) {
        if (!first && !(values[k] > best[k]) && values[k] == values[k]) continue;
        best[k] = values[k];
        where.values[k] = static_cast<std::uint8_t>(cell);
      }
      first = false;
    });
    store<T, kPer>(write + i * kPer, best);
    if (record != nullptr) reinterpret_cast<Channels<std::uint8_t, kPer>*>(record)[i] = where;
  }
}

template <typename T, int kPer>
__global__ void max_backward_kernel(Windows s, T* write, const T* gradient,
                                    const std::uint8_t* record, bool adds, std::uint64_t packs) {
  for (std::uint64_t i = first_index(); i < packs; i += index_stride()) {
    const Place p = place_of_pack<kPer>(i, s.channels, s.in_width, s.in_height);
    float sum[kPer] = {};
    for_windows(s, p, [&](std::uint32_t y, std::uint32_t x, std::uint32_t cell) {
      const std::uint64_t at = output_index(s, p, y, x);
      const auto where = fetch<kPer>(record + at);
      float values[kPer];
      load<T, kPer>(values, gradient + at);
      for (int k = 0; k < kPer; ++k)
        if (where.values[k] == cell) sum[k] += values[k];
    });
    put_pack<T, kPer>(write + i * kPer, sum, adds);
  }
}

__device__ inline float real_cells(const Windows& s, std::uint32_t y, std::uint32_t x) {
  std::uint32_t rows = 0, columns = 0;
  for (std::uint32_t ky = 0; ky < s.kernel_height; ++ky)
    rows += y * s.stride_height + ky - s.pad_top < s.in_height ? 1 : 0;
  for (std::uint32_t kx = 0; kx < s.kernel_width; ++kx)
    columns += x * s.stride_width + kx - s.pad_left < s.in_width ? 1 : 0;
  return static_cast<float>(rows * columns);
}

template <typename T, int kPer>
__global__ void average_kernel(Windows s, T* write, const T* read, std::uint64_t packs) {
  for (std::uint64_t i = first_index(); i < packs; i += index_stride()) {
    const Place p = place_of_pack<kPer>(i, s.channels, s.out_width, s.out_height);
    float sum[kPer] = {};
    for_cells(s, p, [&](std::uint32_t y, std::uint32_t x, std::uint32_t) {
      float values[kPer];
      load<T, kPer>(values, read + input_index(s, p, y, x));
      for (int k = 0; k < kPer; ++k) sum[k] += values[k];
    });
    const float cells = real_cells(s, p.y, p.x);
    for (int k = 0; k < kPer; ++k) sum[k] /= cells;
    store<T, kPer>(write + i * kPer, sum);
  }
}

template <typename T, int kPer>
__global__ void average_backward_kernel(Windows s, T* write, const T* gradient, bool adds,
                                        std::uint64_t packs) {
  for (std::uint64_t i = first_index(); i < packs; i += index_stride()) {
    const Place p = place_of_pack<kPer>(i, s.channels, s.in_width, s.in_height);
    float sum[kPer] = {};
    for_windows(s, p, [&](std::uint32_t y, std::uint32_t x, std::uint32_t) {
      float values[kPer];
      load<T, kPer>(values, gradient + output_index(s, p, y, x));
      const float cells = real_cells(s, y, x);
      for (int k = 0; k < kPer; ++k) sum[k] += values[k] / cells;
    });
    put_pack<T, kPer>(write + i * kPer, sum, adds);
  }
}

template <typename T>
__global__ void depthwise_kernel(Windows s, T* write, const T* read, const float* weights,
                                 std::uint64_t count) {
  const std::uint32_t taps = s.kernel_height * s.kernel_width;
  for (std::uint64_t i = first_index(); i < count; i += index_stride()) {
    const Place p = place_of(i, s.channels, s.out_width, s.out_height);
    float sum = 0.0f;
    for_cells(s, p, [&](std::uint32_t y, std::uint32_t x, std::uint32_t tap) {
      sum += to_float(read[input_index(s, p, y, x)]) * weights[p.channel * taps + tap];
    });
    write[i] = from_float<T>(sum);
  }
}

template <typename T>
__global__ void depthwise_data_kernel(Windows s, T* write, const T* gradient, const float* weights,
                                      bool adds, std::uint64_t count) {
  const std::uint32_t taps = s.kernel_height * s.kernel_width;
  for (std::uint64_t i = first_index(); i < count; i += index_stride()) {
    const Place p = place_of(i, s.channels, s.in_width, s.in_height);
    float sum = 0.0f;
    for_windows(s, p, [&](std::uint32_t y, std::uint32_t x, std::uint32_t tap) {
      sum += to_float(gradient[output_index(s, p, y, x)]) * weights[p.channel * taps + tap];
    });
    put(write[i], sum, adds);
  }
}

// Block (channels of 32, tap, chunk of the outputs): thread (x, y) takes channel x and every eighth
// output cell of the chunk.
template <typename T>
__global__ void depthwise_weights_kernel(Windows s, double* partial, const T* read,
                                         const T* gradient, std::uint64_t cells) {
  __shared__ double sums[8][32];
  const std::uint32_t channel = blockIdx.x * 32 + threadIdx.x;
  const std::uint32_t tap = blockIdx.y;
  const std::uint32_t ky = tap / s.kernel_width, kx = tap % s.kernel_width;
  double sum = 0.0;
  if (channel < s.channels)
    for (std::uint64_t cell = blockIdx.z * 8 + threadIdx.y; cell < cells; cell += gridDim.z * 8) {
      const Place p = place_of(cell * s.channels + channel, s.channels, s.out_width, s.out_height);
      const std::uint32_t y = p.y * s.stride_height + ky - s.pad_top;
      const std::uint32_t x = p.x * s.stride_width + kx - s.pad_left;
      if (y >= s.in_height || x >= s.in_width) continue;
      sum += static_cast<double>(to_float(read[input_index(s, p, y, x)])) *
             static_cast<double>(to_float(gradient[output_index(s, p, p.y, p.x)]));
    }
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || channel >= s.channels) return;
  for (int i = 1; i < 8; ++i) sum += sums[i][threadIdx.x];
  const std::uint64_t weight = static_cast<std::uint64_t>(channel) * gridDim.y + tap;
  partial[weight * gridDim.z + blockIdx.z] = sum;
}

__global__ void depthwise_finish_kernel(float* write, const double* partial, std::uint64_t count,
                                        std::uint32_t chunks) {
  for (std::uint64_t i = first_index(); i < count; i += index_stride()) {
    double sum = 0.0;
    for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) sum += partial[i * chunks + chunk];
    write[i] = static_cast<float>(sum);
  }
}

template <typename T>
T* as(void* pointer) {
  return static_cast<T*>(pointer);
}
template <typename T>
const T* as(const void* pointer) {
  return static_cast<const T*>(pointer);
}

}  // namespace

void max_pool(Stream stream, Type type, const Windows& shape, void* write, const void* read,
              std::uint8_t* record) {
  with_packs(type, shape.channels, [&](auto zero, auto per) {
    using T = decltype(zero);
    constexpr int kPer = decltype(per)::value;
    const std::uint64_t packs = shape.outputs() / kPer;
    max_kernel<T, kPer><<<blocks_for(packs), kThreads, 0, stream>>>(shape, as<T>(write),
                                                                    as<T>(read), record, packs);
  });
}

void max_pool_backward(Stream stream, Type type, const Windows& shape, void* write,
                       const void* gradient, const std::uint8_t* record, bool adds) {
  with_packs(type, shape.channels, [&](auto zero, auto per) {
    using T = decltype(zero);
    constexpr int kPer = decltype(per)::value;
    const std::uint64_t packs = shape.inputs() / kPer;
    max_backward_kernel<T, kPer><<<blocks_for(packs), kThreads, 0, stream>>>(
        shape, as<T>(write), as<T>(gradient), record, adds, packs);
  });
}

void average_pool(Stream stream, Type type, const Windows& shape, void* write, const void* read) {
  with_packs(type, shape.channels, [&](auto zero, auto per) {
    using T = decltype(zero);
    constexpr int kPer = decltype(per)::value;
    const std::uint64_t packs = shape.outputs() / kPer;
    average_kernel<T, kPer>
        <<<blocks_for(packs), kThreads, 0, stream>>>(shape, as<T>(write), as<T>(read), packs);
  });
}

void average_pool_backward(Stream stream, Type type, const Windows& shape, void* write,
                           const void* gradient, bool adds) {
  with_packs(type, shape.channels, [&](auto zero, auto per) {
    using T = decltype(zero);
    constexpr int kPer = decltype(per)::value;
    const std::uint64_t packs = shape.inputs() / kPer;
    average_backward_kernel<T, kPer><<<blocks_for(packs), kThreads, 0, stream>>>(
        shape, as<T>(write), as<T>(gradient), adds, packs);
  });
}

void depthwise(Stream stream, Type type, const Windows& shape, void* write, const void* read,
               const float* weights) {
  const std::uint64_t count = shape.outputs();
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    depthwise_kernel<<<blocks_for(count), kThreads, 0, stream>>>(shape, as<T>(write), as<T>(read),
                                                                 weights, count);
  });
}

void depthwise_data(Stream stream, Type type, const Windows& shape, void* write,
                    const void* gradient, const float* weights, bool adds) {
  const std::uint64_t count = shape.inputs();
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    depthwise_data_kernel<<<blocks_for(count), kThreads, 0, stream>>>(
        shape, as<T>(write), as<T>(gradient), weights, adds, count);
  });
}

std::uint64_t depthwise_scratch(const Windows& shape) {
  return static_cast<std::uint64_t>(shape.channels) * shape.kernel_height * shape.kernel_width *
         kWeightChunks * sizeof(double);
}

void depthwise_weights(Stream stream, Type type, const Windows& shape, float* write,
                       const void* read, const void* gradient, void* scratch) {
  const std::uint32_t taps = shape.kernel_height * shape.kernel_width;
  const dim3 grid((shape.channels + 31) / 32, taps, kWeightChunks);
  auto* partial = static_cast<double*>(scratch);
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    depthwise_weights_kernel<<<grid, dim3(32, 8), 0, stream>>>(
        shape, partial, as<T>(read), as<T>(gradient), shape.outputs() / shape.channels);
  });
  const std::uint64_t weights = static_cast<std::uint64_t>(shape.channels) * taps;
  depthwise_finish_kernel<<<blocks_for(weights), kThreads, 0, stream>>>(write, partial, weights,
                                                                        kWeightChunks);
}

}  // namespace convoy::cuda
