// Compiled once per instruction set, as kernels.cpp is.
#include "plugins/devices/cpu/kernels/table.hpp"

namespace convoy::cpu::CONVOY_KERNEL_SET {

void add_relu(float* write, const float* a, const float* b, float limit, std::size_t count);
void relu(float* write, const float* read, float limit, std::size_t count);
void relu_backward(float* gradient, const float* output, float limit, std::size_t count);
void add_relu_backward(float* gradient, const float* addend, const float* output, float limit,
                       std::size_t count);

namespace {

// NaN passes through, so that a diverged run is noticed.
inline float rectified(float value, float limit) {
  const float low = value < 0.0f ? 0.0f : value;
  return low > limit ? limit : low;
}

inline float upper_bound(float limit) {
  return limit > 0.0f ? limit : __builtin_inff();
}

}  // namespace

void add_relu(float* write, const float* a, const float* b, float limit, std::size_t count) {
  const float bound = upper_bound(limit);
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) write[i] = rectified(a[i] + b[i], bound);
}

void relu(float* write, const float* read, float limit, std::size_t count) {
  const float bound = upper_bound(limit);
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) write[i] = rectified(read[i], bound);
}

void relu_backward(float* __restrict gradient, const float* __restrict output, float limit,
                   std::size_t count) {
  const float bound = upper_bound(limit);
  for (std::size_t i = 0; i < count; ++i) {
    const bool cut = (output[i] <= 0.0f) | (output[i] >= bound);
    gradient[i] = cut ? 0.0f : gradient[i];
  }
}

void add_relu_backward(float* __restrict gradient, const float* __restrict addend,
                       const float* __restrict output, float limit, std::size_t count) {
  const float bound = upper_bound(limit);
  for (std::size_t i = 0; i < count; ++i) {
    const bool cut = (output[i] <= 0.0f) | (output[i] >= bound);
    const float sum = gradient[i] + addend[i];
    gradient[i] = cut ? 0.0f : sum;
  }
}

}  // namespace convoy::cpu::CONVOY_KERNEL_SET
