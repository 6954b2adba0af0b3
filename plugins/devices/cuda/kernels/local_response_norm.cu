#include "plugins/devices/cuda/kernels/local_response_norm.hpp"

#include "plugins/devices/cuda/kernels/vector_access.cuh"

namespace convoy::cuda {
namespace {

// Neighbouring channels [first, last] of a channel.
struct Neighbours {
  __device__ Neighbours(const ResponseNorm& shape, std::uint32_t channel)
      : first(channel > shape.radius ? channel - shape.radius : 0),
        last(channel + shape.radius < shape.channels ? channel + shape.radius
                                                     : shape.channels - 1) {}
  std::uint32_t first, last;
};

__device__ inline std::uint32_t channel_of(std::uint64_t element, const ResponseNorm& shape) {
  return split(element, shape.channels);
}

template <typename T>
__device__ inline float scale_at(const ResponseNorm& shape, const T* row, std::uint32_t channel) {
  const Neighbours near(shape, channel);
  float sum = 0.0f;
  for (std::uint32_t c = near.first; c <= near.last; ++c) {
    const float value = to_float(row[c]);
    sum += value * value;
  }
  return shape.offset + shape.alpha * sum;
}

template <typename T>
__global__ void norm_forward_kernel(ResponseNorm shape, T* write, const T* read) {
  const std::uint64_t count = shape.rows * shape.channels;
  for (std::uint64_t i = first_index(); i < count; i += index_stride()) {
    const std::uint32_t channel = channel_of(i, shape);
    const float scale = scale_at(shape, read + (i - channel), channel);
    write[i] = from_float<T>(to_float(read[i]) * powf(scale, -shape.beta));
  }
}

// The contribution of an element's result to the gradients of its neighbours, without the factor of
// their own values.
template <typename T>
__global__ void norm_share_kernel(ResponseNorm shape, float* share, const T* read,
                                  const T* gradient) {
  const std::uint64_t count = shape.rows * shape.channels;
  for (std::uint64_t i = first_index(); i < count; i += index_stride()) {
    const std::uint32_t channel = channel_of(i, shape);
    const float scale = scale_at(shape, read + (i - channel), channel);
    share[i] = to_float(gradient[i]) * to_float(read[i]) * powf(scale, -shape.beta - 1.0f);
  }
}

template <typename T>
__global__ void norm_backward_kernel(ResponseNorm shape, T* write, const T* read, const T* gradient,
                                     const float* share, bool adds) {
  const std::uint64_t count = shape.rows * shape.channels;
  for (std::uint64_t i = first_index(); i < count; i += index_stride()) {
    const std::uint32_t channel = channel_of(i, shape);
    const Neighbours near(shape, channel);
    float sum = 0.0f;
    for (std::uint32_t c = near.first; c <= near.last; ++c) sum += share[i - channel + c];
    const float scale = scale_at(shape, read + (i - channel), channel);
    const float value = to_float(gradient[i]) * powf(scale, -shape.beta) -
                        2.0f * shape.alpha * shape.beta * to_float(read[i]) * sum;
    write[i] = from_float<T>(adds ? to_float(write[i]) + value : value);
  }
}

}  // namespace

void response_norm(Stream stream, const ResponseNorm& shape, void* write, const void* read) {
  const unsigned blocks = blocks_for(shape.rows * shape.channels);
  with_type(shape.type, [&](auto zero) {
    using T = decltype(zero);
    norm_forward_kernel<<<blocks, kThreads, 0, stream>>>(shape, static_cast<T*>(write),
                                                         static_cast<const T*>(read));
  });
}

void response_norm_backward(Stream stream, const ResponseNorm& shape, void* write, const void* read,
                            const void* gradient, float* scratch, bool adds) {
  const unsigned blocks = blocks_for(shape.rows * shape.channels);
  with_type(shape.type, [&](auto zero) {
    using T = decltype(zero);
    const auto* x = static_cast<const T*>(read);
    const auto* g = static_cast<const T*>(gradient);
    norm_share_kernel<<<blocks, kThreads, 0, stream>>>(shape, scratch, x, g);
    norm_backward_kernel<<<blocks, kThreads, 0, stream>>>(shape, static_cast<T*>(write), x, g,
                                                          scratch, adds);
  });
}

}  // namespace convoy::cuda
