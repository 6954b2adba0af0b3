#include "plugins/devices/cuda/kernels/window_places.cuh"

namespace convoy::cuda {
namespace {

template <typename T, int kPer>
__device__ inline void put_pack(T* to, float (&values)[kPer], bool adds) {
  if (adds) {
    float before[kPer];
    load<T, kPer>(before, to);
    for (int k = 0; k < kPer; ++k) values[k] = before[k] + values[k];
  }
  store<T, kPer>(to, values);
}

// Takes the first of equal cells. NaN wins, so that a diverged run is noticed. Here and below,
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

}  // namespace convoy::cuda
