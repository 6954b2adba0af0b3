// Compiled once per instruction set. CONVOY_KERNEL_SET names the namespace. Uses no library
// templates, because the linker would share their out-of-line copies between the instruction sets.
#include "plugins/devices/cpu/kernels/table.hpp"

namespace convoy::cpu::CONVOY_KERNEL_SET {

double gradient_square_sum(const ApplyConstants& constants, const float* gradient,
                           const float* parameters, std::size_t count);
void add_relu(float* write, const float* a, const float* b, float limit, std::size_t count);
void relu(float* write, const float* read, float limit, std::size_t count);
void relu_backward(float* gradient, const float* output, float limit, std::size_t count);
void add_relu_backward(float* gradient, const float* addend, const float* output, float limit,
                       std::size_t count);

namespace {

// ivdep below: outputs are either distinct from the inputs or the same, element for element.
constexpr std::size_t kChunk = 1024;  // floats of accumulator; stays in the first-level cache

void add(float* write, const float* a, const float* b, std::size_t count) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) write[i] = a[i] + b[i];
}

void multiply(float* write, const float* a, const float* b, std::size_t count) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) write[i] = a[i] * b[i];
}

void scale(float* write, float scalar, const float* read, std::size_t count) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) write[i] = scalar * read[i];
}

void axpy(float* write, float scalar, const float* a, const float* b, std::size_t count) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) write[i] = scalar * a[i] + b[i];
}

void combine(float* __restrict total, const float* __restrict read, std::size_t count,
             std::uint32_t reduction) {
  if (reduction == CONVOY_REDUCE_MIN) {
    for (std::size_t i = 0; i < count; ++i) total[i] = read[i] < total[i] ? read[i] : total[i];
  } else if (reduction == CONVOY_REDUCE_MAX) {
    for (std::size_t i = 0; i < count; ++i) total[i] = read[i] > total[i] ? read[i] : total[i];
  } else {
    for (std::size_t i = 0; i < count; ++i) total[i] = total[i] + read[i];
  }
}

// Goes chunk by chunk, with all reads before all writes, so a write may alias a read.
void sum(float* const* writes, std::size_t write_count, const float* const* reads,
         std::size_t read_count, std::size_t first, std::size_t count, std::uint32_t reduction) {
  alignas(64) float total[kChunk];
  for (std::size_t done = 0; done < count; done += kChunk) {
    const std::size_t size = count - done < kChunk ? count - done : kChunk;
    const std::size_t offset = first + done;
    __builtin_memcpy(total, reads[0] + offset, size * sizeof(float));
    for (std::size_t read = 1; read < read_count; ++read) {
      combine(total, reads[read] + offset, size, reduction);
    }
    for (std::size_t write = 0; write < write_count; ++write) {
      __builtin_memcpy(writes[write] + offset, total, size * sizeof(float));
    }
  }
}

inline float clamp(float value, float limit) {
  const float low = value < -limit ? -limit : value;
  return low > limit ? limit : low;
}

template <bool kClip>
inline float gradient_of(const ApplyConstants& c, float sum_of_gradients, float parameter) {
  const float mean = sum_of_gradients / c.contributions * c.inverse_loss_scale;
  const float gradient = c.gradient_scale * (mean + c.weight_decay * parameter);
  return kClip ? clamp(gradient, c.clip) : gradient;
}

template <bool kClip>
void apply_sgd(const ApplyConstants& c, float* __restrict w, const float* __restrict gradient,
               std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    w[i] -= c.learning_rate * gradient_of<kClip>(c, gradient[i], w[i]);
  }
}

template <bool kClip>
void apply_momentum(const ApplyConstants& c, float* __restrict w, const float* __restrict gradient,
                    float* __restrict a, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const float g = gradient_of<kClip>(c, gradient[i], w[i]);
    a[i] = c.momentum * a[i] + g;
    w[i] -= c.learning_rate * (g + c.momentum * a[i]);
  }
}

template <bool kClip>
void apply_rmsprop(const ApplyConstants& c, float* __restrict w, const float* __restrict gradient,
                   float* __restrict r, float* __restrict u, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const float g = gradient_of<kClip>(c, gradient[i], w[i]);
    r[i] = c.decay * r[i] + c.one_minus_decay * g * g;
    u[i] = c.momentum * u[i] + c.learning_rate * g / __builtin_sqrtf(r[i] + c.epsilon);
    w[i] -= u[i];
  }
}

// learning_rate already holds the bias correction of the step.
template <bool kClip>
void apply_adam(const ApplyConstants& c, float* __restrict w, const float* __restrict gradient,
                float* __restrict s, float* __restrict r, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const float g = gradient_of<kClip>(c, gradient[i], w[i]);
    s[i] = c.beta1 * s[i] + c.one_minus_beta1 * g;
    r[i] = c.beta2 * r[i] + c.one_minus_beta2 * g * g;
    w[i] -= c.learning_rate * s[i] / (__builtin_sqrtf(r[i]) + c.epsilon);
  }
}

template <bool kClip>
void apply_kind(const ApplyConstants& c, float* w, const float* gradient, float* state0,
                float* state1, std::size_t count) {
  switch (c.kind) {
    case CONVOY_OPTIMIZER_SGD:
      return apply_sgd<kClip>(c, w, gradient, count);
    case CONVOY_OPTIMIZER_MOMENTUM:
      return apply_momentum<kClip>(c, w, gradient, state0, count);
    case CONVOY_OPTIMIZER_RMSPROP:
      return apply_rmsprop<kClip>(c, w, gradient, state0, state1, count);
    default:
      return apply_adam<kClip>(c, w, gradient, state0, state1, count);
  }
}

void apply(const ApplyConstants& constants, float* parameters, const float* gradient, float* state0,
           float* state1, std::size_t count) {
  if (constants.clip > 0.0f) {
    apply_kind<true>(constants, parameters, gradient, state0, state1, count);
  } else {
    apply_kind<false>(constants, parameters, gradient, state0, state1, count);
  }
}

// Eight partial sums in a fixed order: the same value on every instruction set.
double dot(const float* a, const float* b, std::size_t count) {
  double lanes[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    for (std::size_t lane = 0; lane < 8; ++lane)
      lanes[lane] += static_cast<double>(a[i + lane]) * static_cast<double>(b[i + lane]);
  }
  double total = 0.0;
  for (; i < count; ++i) total += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  for (double lane : lanes) total += lane;
  return total;
}

inline std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline float float_of(std::uint32_t bits) {
  float value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

// Rounds to nearest even. Values too small for a normal half are aligned by one float addition,
// which rounds them correctly.
inline std::uint16_t half_of(float value) {
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  const std::uint32_t odd = (magnitude >> 13) & 1u;
  const std::uint32_t normal = (magnitude + 0xc8000fffu + odd) >> 13;  // exponent bias 127 -> 15
  const std::uint32_t small = bits_of(float_of(magnitude) + 0.5f) - 0x3f000000u;
  const std::uint32_t large = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
  const std::uint32_t finite = magnitude < 0x38800000u ? small : normal;
  return static_cast<std::uint16_t>(sign | (magnitude >= 0x47800000u ? large : finite));
}

inline float float_of_half(std::uint16_t half) {
  const std::uint32_t sign = (static_cast<std::uint32_t>(half) & 0x8000u) << 16;
  const std::uint32_t magnitude = static_cast<std::uint32_t>(half) & 0x7fffu;
  const std::uint32_t shifted = magnitude << 13;
  const std::uint32_t normal = shifted + (magnitude >= 0x7c00u ? 0x70000000u : 0x38000000u);
  const std::uint32_t small = bits_of(float_of(shifted + 0x38800000u) - float_of(0x38800000u));
  return float_of(sign | (magnitude < 0x400u ? small : normal));
}

inline std::uint16_t bfloat_of(float value) {
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  const std::uint32_t quiet_nan = (bits >> 16) | 0x40u;
  return static_cast<std::uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? quiet_nan : rounded);
}

void f32_to_f16(std::uint16_t* write, const float* read, std::size_t count) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) write[i] = half_of(read[i]);
}

void f16_to_f32(float* write, const std::uint16_t* read, std::size_t count) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) write[i] = float_of_half(read[i]);
}

void f32_to_bf16(std::uint16_t* write, const float* read, std::size_t count) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) write[i] = bfloat_of(read[i]);
}

void bf16_to_f32(float* write, const std::uint16_t* read, std::size_t count) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) {
    write[i] = float_of(static_cast<std::uint32_t>(read[i]) << 16);
  }
}

void round_to_bf16(float* write, const float* read, std::size_t count) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) {
    write[i] = float_of(static_cast<std::uint32_t>(bfloat_of(read[i])) << 16);
  }
}

// Applies two rounds of multiply and shift to the counter, 32 bits wide so that it vectorises.
inline std::uint32_t hash(std::uint32_t low, std::uint32_t key_low, std::uint32_t key_high) {
  std::uint32_t h = low * 0x9e3779b1u ^ key_low;
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= key_high;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  h ^= h >> 16;
  return h;
}

void dropout(float* write, const float* read, std::uint64_t key, std::uint32_t threshold,
             float factor, std::size_t first, std::size_t count) {
  const auto low = static_cast<std::uint32_t>(key);
  const auto high = static_cast<std::uint32_t>(key >> 32);
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t random = hash(static_cast<std::uint32_t>(first + i), low, high);
    write[i] = random < threshold ? factor * read[i] : 0.0f;
  }
}

}  // namespace

extern const KernelTable kTable;
const KernelTable kTable = {CONVOY_KERNEL_NAME,
                            add,
                            scale,
                            axpy,
                            sum,
                            apply,
                            dot,
                            gradient_square_sum,
                            f32_to_f16,
                            f16_to_f32,
                            f32_to_bf16,
                            bf16_to_f32,
                            add_relu,
                            relu,
                            relu_backward,
                            add_relu_backward,
                            dropout,
                            round_to_bf16,
                            multiply};

}  // namespace convoy::cpu::CONVOY_KERNEL_SET
