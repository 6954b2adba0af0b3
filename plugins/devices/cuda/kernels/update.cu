#include "plugins/devices/cuda/kernels/update.hpp"

#include "plugins/devices/cuda/kernels/block_sum.cuh"

namespace convoy::cuda {
namespace {

constexpr std::uint32_t kMomentum = 1;  // convoy_optimizer_kind
constexpr std::uint32_t kRmsprop = 2;
constexpr std::uint32_t kAdam = 3;

// The constants after reading the scalars on the device.
struct Guarded {
  RuleConstants constants;
  float inverse_loss_scale;
  bool skipped;
};

__device__ Guarded guarded(const Update& what) {
  Guarded result{what.constants, 1.0f, false};
  if (what.learning_rate != nullptr) result.constants.learning_rate = *what.learning_rate;
  if (what.guard.loss_scale != nullptr) result.inverse_loss_scale = 1.0f / *what.guard.loss_scale;
  if (what.guard.norm == nullptr) return result;
  const float norm = *what.guard.norm;
  result.skipped = what.guard.skip_non_finite && !isfinite(norm);
  const double value = norm;
  if (what.guard.limit > 0 && value > what.guard.limit)
    result.constants.gradient_scale *= static_cast<float>(what.guard.limit / value);
  return result;
}

__device__ inline float gradient_of(const Guarded& it, float decay, float sum, float parameter) {
  const RuleConstants& c = it.constants;
  const float mean = sum / c.contributions * it.inverse_loss_scale;
  return c.gradient_scale * (mean + decay * parameter);
}

__device__ inline float clamped(float value, float limit) {
  if (limit <= 0.0f) return value;
  const float low = value < -limit ? -limit : value;
  return low > limit ? limit : low;
}

template <std::uint32_t kKind>
__device__ inline void update_element(const RuleConstants& c, float g, float& w, float& s,
                                      float& r) {
  if (kKind == kMomentum) {
    s = c.momentum * s + g;
    w -= c.learning_rate * (g + c.momentum * s);
  } else if (kKind == kRmsprop) {
    s = c.decay * s + c.one_minus_decay * g * g;
    r = c.momentum * r + c.learning_rate * g / sqrtf(s + c.epsilon);
    w -= r;
  } else if (kKind == kAdam) {
    s = c.beta1 * s + c.one_minus_beta1 * g;
    r = c.beta2 * r + c.one_minus_beta2 * g * g;
    w -= c.learning_rate * s / (sqrtf(r) + c.epsilon);
  } else {
    w -= c.learning_rate * g;
  }
}

// The number of state slots of a kind.
template <std::uint32_t kKind>
constexpr int kSlots = state_slots(kKind);

template <std::uint32_t kKind>
__device__ void update_block(const Update& what, const Guarded& it, const UpdateBlock& block) {
  float* w = what.parameters + block.first;
  const float* g = what.gradient + block.first;
  float* s = kSlots<kKind> > 0 ? what.state[0] + block.first : nullptr;
  float* r = kSlots<kKind> > 1 ? what.state[1] + block.first : nullptr;
  const float decay = block.decayed != 0 ? it.constants.weight_decay : 0.0f;
  const auto bits = reinterpret_cast<std::uintptr_t>(w) | reinterpret_cast<std::uintptr_t>(g) |
                    reinterpret_cast<std::uintptr_t>(s) | reinterpret_cast<std::uintptr_t>(r);
  const std::uint32_t quads = bits % 16 == 0 ? block.count / 4 : 0;
  for (std::uint32_t i = threadIdx.x; i < quads; i += blockDim.x) {
    float4 w4 = reinterpret_cast<float4*>(w)[i];
    const float4 g4 = reinterpret_cast<const float4*>(g)[i];
    float4 s4{}, r4{};
    if (kSlots < kKind >> 0) s4 = reinterpret_cast<float4*>(s)[i];
    if (kSlots < kKind >> 1) r4 = reinterpret_cast<float4*>(r)[i];
    const auto one = [&](float sum, float& value, float& first, float& second) {
      const float gradient = clamped(gradient_of(it, decay, sum, value), it.constants.clip);
      update_element<kKind>(it.constants, gradient, value, first, second);
    };
    one(g4.x, w4.x, s4.x, r4.x);
    one(g4.y, w4.y, s4.y, r4.y);
    one(g4.z, w4.z, s4.z, r4.z);
    one(g4.w, w4.w, s4.w, r4.w);
    reinterpret_cast<float4*>(w)[i] = w4;
    if (kSlots < kKind >> 0) reinterpret_cast<float4*>(s)[i] = s4;
    if (kSlots < kKind >> 1) reinterpret_cast<float4*>(r)[i] = r4;
  }
  for (std::uint32_t i = 4 * quads + threadIdx.x; i < block.count; i += blockDim.x) {
    float unused[2] = {0.0f, 0.0f};
    const float gradient = clamped(gradient_of(it, decay, g[i], w[i]), it.constants.clip);
    update_element<kKind>(it.constants, gradient, w[i], kSlots<kKind> > 0 ? s[i] : unused[0],
                          kSlots<kKind> > 1 ? r[i] : unused[1]);
  }
}

__device__ void square_block(const Update& what, const UpdateBlock& block, std::uint32_t index) {
  double sum = 0.0;
  if (block.decayed != 0)
    for (std::uint32_t i = threadIdx.x; i < block.count; i += blockDim.x) {
      const double value = what.parameters[block.first + i];
      sum += value * value;
    }
  sum = block_sum(sum);
  if (threadIdx.x == 0) what.partial[index] = sum;
}

template <std::uint32_t kKind>
__global__ void update_kernel(Update what) {
  const Guarded it = guarded(what);
  for (std::uint32_t index = blockIdx.x; index < what.block_count; index += gridDim.x) {
    const UpdateBlock block = what.blocks[index];
    if (what.partial != nullptr) square_block(what, block, index);
    if (!it.skipped) update_block<kKind>(what, it, block);
  }
}

__global__ void norm_kernel(Update what) {
  const Guarded it = guarded(what);
  for (std::uint32_t index = blockIdx.x; index < what.block_count; index += gridDim.x) {
    const UpdateBlock block = what.blocks[index];
    const float decay = block.decayed != 0 ? it.constants.weight_decay : 0.0f;
    double sum = 0.0;
    for (std::uint32_t i = threadIdx.x; i < block.count; i += blockDim.x) {
      const float g = what.gradient[block.first + i];
      const float whole = what.parameters == nullptr
                              ? g / it.constants.contributions * it.inverse_loss_scale
                              : gradient_of(it, decay, g, what.parameters[block.first + i]);
      sum += static_cast<double>(whole) * static_cast<double>(whole);
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) what.partial[index] = sum;
  }
}

// One block adds all partial sums in a fixed order.
__global__ void finish_kernel(const double* partial, std::uint32_t count, float* root,
                              double* result) {
  const double sum = partial_block_sum(partial, count);
  if (threadIdx.x != 0) return;
  if (root != nullptr) *root = static_cast<float>(sqrt(sum));
  if (result != nullptr) *result = sum;
}

unsigned launch_blocks(const Update& what) {
  const std::uint32_t blocks = what.block_count < 1 ? 1 : what.block_count;
  return blocks < kMostBlocks ? blocks : static_cast<unsigned>(kMostBlocks);
}

}  // namespace

void update(Stream stream, const Update& what, double* result) {
  const unsigned blocks = launch_blocks(what);
  switch (what.constants.kind) {
    case kMomentum:
      update_kernel<kMomentum><<<blocks, kThreads, 0, stream>>>(what);
      break;
    case kRmsprop:
      update_kernel<kRmsprop><<<blocks, kThreads, 0, stream>>>(what);
      break;
    case kAdam:
      update_kernel<kAdam><<<blocks, kThreads, 0, stream>>>(what);
      break;
    default:
      update_kernel<0><<<blocks, kThreads, 0, stream>>>(what);
      break;
  }
  if (what.partial != nullptr)
    finish_kernel<<<1, kThreads, 0, stream>>>(what.partial, what.block_count, nullptr, result);
}

void norm(Stream stream, const Update& what, float* write, double* result) {
  norm_kernel<<<launch_blocks(what), kThreads, 0, stream>>>(what);
  finish_kernel<<<1, kThreads, 0, stream>>>(what.partial, what.block_count, write, result);
}

}  // namespace convoy::cuda
