#include "plugins/devices/cuda/kernels/pointwise.hpp"

#include "plugins/devices/cuda/kernels/random_bits.cuh"
#include "plugins/devices/cuda/kernels/vector_access.cuh"
#include "plugins/devices/shared/dropout_mask.hpp"

namespace convoy::cuda {
namespace {

constexpr float kInverseRootOfTwo = 0.70710678118654752f;
constexpr float kNormalDensityAtZero = 0.39894228040143268f;

__device__ inline float sigmoid(float x) {
  return 1.0f / (1.0f + expf(-x));
}

// The part of a standard normal distribution below x.
__device__ inline float below(float x) {
  return 0.5f * (1.0f + erff(x * kInverseRootOfTwo));
}

__device__ inline float value_of(Curve curve, float x) {
  switch (curve) {
    case Curve::kSigmoid:
      return sigmoid(x);
    case Curve::kTanh:
      return tanhf(x);
    case Curve::kSilu:
      return x * sigmoid(x);
    default:
      return x * below(x);
  }
}

__device__ inline float derivative_of(Curve curve, float x) {
  const float s = sigmoid(x), t = tanhf(x);
  switch (curve) {
    case Curve::kSigmoid:
      return s * (1.0f - s);
    case Curve::kTanh:
      return 1.0f - t * t;
    case Curve::kSilu:
      return s * (1.0f + x * (1.0f - s));
    default:
      return below(x) + x * kNormalDensityAtZero * expf(-0.5f * x * x);
  }
}

struct Value {
  Curve curve;
  __device__ float operator()(float x, float) const { return value_of(curve, x); }
};
struct Derivative {
  Curve curve;
  __device__ float operator()(float gradient, float x) const {
    return gradient * derivative_of(curve, x);
  }
};
struct Product {
  __device__ float operator()(float a, float b) const { return a * b; }
};

// write <- function(a, b), in accesses of 16 bytes where possible; b may be null.
template <typename T, typename Function>
__global__ void pointwise_kernel(T* write, const T* a, const T* b, bool adds, Function function,
                                 std::uint64_t packs, std::uint64_t count) {
  constexpr int kPer = kPerAccess<T>;
  for (std::uint64_t i = first_index(); i < packs; i += index_stride()) {
    const Pack<T> x = reinterpret_cast<const Pack<T>*>(a)[i];
    Pack<T> y = x, before = x;
    if (b != nullptr) y = reinterpret_cast<const Pack<T>*>(b)[i];
    if (adds) before = reinterpret_cast<const Pack<T>*>(write)[i];
    for (int k = 0; k < kPer; ++k) {
      const float own = function(to_float(x.values[k]), to_float(y.values[k]));
      y.values[k] = from_float<T>(adds ? to_float(before.values[k]) + own : own);
    }
    reinterpret_cast<Pack<T>*>(write)[i] = y;
  }
  for (std::uint64_t i = packs * kPer + first_index(); i < count; i += index_stride()) {
    const float own = function(to_float(a[i]), b != nullptr ? to_float(b[i]) : 0.0f);
    write[i] = from_float<T>(adds ? to_float(write[i]) + own : own);
  }
}

template <typename Function>
void pointwise(Stream stream, Type type, void* write, const void* a, const void* b, bool adds,
               Function function, std::uint64_t count) {
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    const bool aligned = is_aligned(write) && is_aligned(a) && is_aligned(b);
    const std::uint64_t packs = aligned ? count / kPerAccess<T> : 0;
    pointwise_kernel<<<blocks_for(aligned ? packs : count), kThreads, 0, stream>>>(
        static_cast<T*>(write), static_cast<const T*>(a), static_cast<const T*>(b), adds, function,
        packs, count);
  });
}

template <typename T>
__global__ void image_dropout_kernel(T* write, const T* read, ImageDropout what,
                                     std::uint64_t count) {
  const std::uint64_t key = mix_key(what.key, what.step_at == nullptr ? what.step : *what.step_at);
  for (std::uint64_t i = first_index(); i < count; i += index_stride()) {
    const auto image = static_cast<std::uint32_t>(i / what.image_elements);
    const bool kept = random_bits(image, key) < what.threshold;
    write[i] = from_float<T>(kept ? what.factor * to_float(read[i]) : 0.0f);
  }
}

}  // namespace

void apply_curve(Stream stream, Type type, Curve curve, void* write, const void* read,
                 std::uint64_t count) {
  pointwise(stream, type, write, read, nullptr, false, Value{curve}, count);
}

void curve_backward(Stream stream, Type type, Curve curve, void* write, const void* gradient,
                    const void* read, bool adds, std::uint64_t count) {
  pointwise(stream, type, write, gradient, read, adds, Derivative{curve}, count);
}

void multiply(Stream stream, Type type, void* write, const void* a, const void* b, bool adds,
              std::uint64_t count) {
  pointwise(stream, type, write, a, b, adds, Product{}, count);
}

void drop_images(Stream stream, Type type, void* write, const void* read, const ImageDropout& what,
                 std::uint64_t count) {
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    image_dropout_kernel<<<blocks_for(count), kThreads, 0, stream>>>(
        static_cast<T*>(write), static_cast<const T*>(read), what, count);
  });
}

}  // namespace convoy::cuda
