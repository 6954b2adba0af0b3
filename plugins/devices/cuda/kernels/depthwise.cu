#include "plugins/devices/cuda/kernels/window_places.cuh"

namespace convoy::cuda {
namespace {

constexpr std::uint32_t kWeightChunks = 64;  // partial sums per weight

template <typename T>
__device__ inline void put(T& to, float value, bool adds) {
  to = from_float<T>(adds ? to_float(to) + value : value);
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

// Blocks are (32 channels, tap, chunk of the outputs). Thread (x, y) takes channel x and every
// eighth output cell of the chunk.
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

}  // namespace

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
