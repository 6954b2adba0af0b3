#include "plugins/devices/cuda/kernels/arithmetic.hpp"

#include "plugins/devices/cuda/kernels/vector_access.cuh"

namespace convoy::cuda {
namespace {

// convoy_reduction: 0 sum, 1 min, 2 max.
__device__ inline float combine(float total, float value, std::uint32_t reduction) {
  if (reduction == 1) return value < total ? value : total;
  if (reduction == 2) return value > total ? value : total;
  return total + value;
}

__device__ inline void combine(float4& total, const float4& value, std::uint32_t reduction) {
  total.x = combine(total.x, value.x, reduction);
  total.y = combine(total.y, value.y, reduction);
  total.z = combine(total.z, value.z, reduction);
  total.w = combine(total.w, value.w, reduction);
}

__global__ void sum_kernel(SumSpans spans, std::uint64_t quads, std::uint64_t first,
                           std::uint64_t count) {
  for (std::uint64_t i = first_index(); i < quads; i += index_stride()) {
    float4 total = reinterpret_cast<const float4*>(spans.reads[0])[i];
    for (std::uint32_t r = 1; r < spans.read_count; ++r)
      combine(total, reinterpret_cast<const float4*>(spans.reads[r])[i], spans.reduction);
    for (std::uint32_t w = 0; w < spans.write_count; ++w)
      reinterpret_cast<float4*>(spans.writes[w])[i] = total;
  }
  for (std::uint64_t i = first + first_index(); i < count; i += index_stride()) {
    float total = spans.reads[0][i];
    for (std::uint32_t r = 1; r < spans.read_count; ++r)
      total = combine(total, spans.reads[r][i], spans.reduction);
    for (std::uint32_t w = 0; w < spans.write_count; ++w) spans.writes[w][i] = total;
  }
}

// write <- scalar * a + b; absent operands are left out.
template <bool kScales, bool kAdds>
__device__ inline float combination(float scalar, float a, float b) {
  const float product = kScales ? scalar * a : a;
  return kAdds ? product + b : product;
}

template <bool kScales, bool kAdds>
__global__ void combine_kernel(float* write, float scalar, const float* a, const float* b,
                               std::uint64_t quads, std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t i = first_index(); i < quads; i += index_stride()) {
    const float4 x = reinterpret_cast<const float4*>(a)[i];
    float4 y = x;
    if (kAdds) y = reinterpret_cast<const float4*>(b)[i];
    reinterpret_cast<float4*>(write)[i] =
        make_float4(combination<kScales, kAdds>(scalar, x.x, y.x),
                    combination<kScales, kAdds>(scalar, x.y, y.y),
                    combination<kScales, kAdds>(scalar, x.z, y.z),
                    combination<kScales, kAdds>(scalar, x.w, y.w));
  }
  for (std::uint64_t i = first + first_index(); i < count; i += index_stride())
    write[i] = combination<kScales, kAdds>(scalar, a[i], kAdds ? b[i] : 0.0f);
}

template <bool kScales, bool kAdds>
void combine_spans(Stream stream, float* write, float scalar, const float* a, const float* b,
                   std::uint64_t count) {
  const bool aligned = is_aligned(write) && is_aligned(a) && (!kAdds || is_aligned(b));
  const std::uint64_t quads = aligned ? count / 4 : 0;
  combine_kernel<kScales, kAdds><<<blocks_for(aligned ? quads : count), kThreads, 0, stream>>>(
      write, scalar, a, b, quads, 4 * quads, count);
}

template <typename T>
__global__ void fill_kernel(T* write, T value, std::uint64_t count) {
  for (std::uint64_t i = first_index(); i < count; i += index_stride()) write[i] = value;
}

// A group of elements that one access moves.
template <typename T, int kCount>
struct alignas(sizeof(T) * kCount) Group {
  T values[kCount];
};

template <typename To, typename From>
__global__ void cast_kernel(To* write, const From* read, std::uint64_t groups,
                            std::uint64_t count) {
  for (std::uint64_t i = first_index(); i < groups; i += index_stride()) {
    const auto from = reinterpret_cast<const Group<From, 4>*>(read)[i];
    Group<To, 4> to;
    for (int k = 0; k < 4; ++k) to.values[k] = from_float<To>(to_float(from.values[k]));
    reinterpret_cast<Group<To, 4>*>(write)[i] = to;
  }
  for (std::uint64_t i = 4 * groups + first_index(); i < count; i += index_stride())
    write[i] = from_float<To>(to_float(read[i]));
}

__global__ void adapt_kernel(float* state, const float* norms, std::uint64_t count, double period,
                             double* result) {
  if (result != nullptr) *result = state[0];
  bool finite = true;
  for (std::uint64_t i = 0; i < count; ++i) finite = finite && isfinite(norms[i]);
  if (finite && static_cast<double>(state[1]) < period) {
    state[1] += 1.0f;
    return;
  }
  const float adapted = finite ? 2.0f * state[0] : state[0] / 2.0f;
  // A normal number: neither infinite nor subnormal.
  if (isfinite(adapted) && adapted >= 1.17549435e-38f) state[0] = adapted;
  state[1] = 0.0f;
}

}  // namespace

void sum(Stream stream, const SumSpans& spans, std::uint64_t count) {
  bool aligned = true;
  for (std::uint32_t r = 0; r < spans.read_count; ++r)
    aligned = aligned && is_aligned(spans.reads[r]);
  for (std::uint32_t w = 0; w < spans.write_count; ++w)
    aligned = aligned && is_aligned(spans.writes[w]);
  const std::uint64_t quads = aligned ? count / 4 : 0;
  sum_kernel<<<blocks_for(aligned ? quads : count), kThreads, 0, stream>>>(spans, quads, 4 * quads,
                                                                           count);
}

void add(Stream stream, float* write, const float* a, const float* b, std::uint64_t count) {
  combine_spans<false, true>(stream, write, 1.0f, a, b, count);
}

void scale(Stream stream, float* write, float scalar, const float* read, std::uint64_t count) {
  combine_spans<true, false>(stream, write, scalar, read, nullptr, count);
}

void axpy(Stream stream, float* write, float scalar, const float* a, const float* b,
          std::uint64_t count) {
  combine_spans<true, true>(stream, write, scalar, a, b, count);
}

void fill(Stream stream, void* write, std::uint32_t bits, std::size_t element_bytes,
          std::uint64_t count) {
  const unsigned blocks = blocks_for(count);
  if (element_bytes == 4)
    fill_kernel<<<blocks, kThreads, 0, stream>>>(static_cast<std::uint32_t*>(write), bits, count);
  else if (element_bytes == 2)
    fill_kernel<<<blocks, kThreads, 0, stream>>>(static_cast<std::uint16_t*>(write),
                                                 static_cast<std::uint16_t>(bits), count);
  else
    fill_kernel<<<blocks, kThreads, 0, stream>>>(static_cast<std::uint8_t*>(write),
                                                 static_cast<std::uint8_t>(bits), count);
}

void cast(Stream stream, void* write, Type to, const void* read, Type from, std::uint64_t count) {
  with_type(to, [&](auto target) {
    with_type(from, [&](auto source) {
      const std::uint64_t groups = is_aligned(write) && is_aligned(read) ? count / 4 : 0;
      cast_kernel<<<blocks_for(groups > 0 ? groups : count), kThreads, 0, stream>>>(
          static_cast<decltype(target)*>(write), static_cast<const decltype(source)*>(read), groups,
          count);
    });
  });
}

void adapt_loss_scale(Stream stream, float* state, const float* norms, std::uint64_t count,
                      std::uint64_t period, double* result) {
  adapt_kernel<<<1, 1, 0, stream>>>(state, norms, count, static_cast<double>(period), result);
}

}  // namespace convoy::cuda
