#pragma once

#include "plugins/devices/cuda/kernels/types.hpp"

namespace convoy::cuda {

// Operations on spans of f32 unless stated otherwise. Spans may start anywhere; if all are aligned,
// accesses have 16 bytes.

inline constexpr std::uint32_t kMostReads = 32;   // of one launch of sum
inline constexpr std::uint32_t kMostWrites = 32;  // of one launch of sum

// The spans of one sum, as kernel arguments.
struct SumSpans {
  const float* reads[kMostReads];
  float* writes[kMostWrites];
  std::uint32_t read_count;
  std::uint32_t write_count;
  std::uint32_t reduction;  // convoy_reduction
};

// Every write <- the reduction over the reads from left to right. A write may be a read.
void sum(Stream stream, const SumSpans& spans, std::uint64_t count);
void add(Stream stream, float* write, const float* a, const float* b, std::uint64_t count);
void scale(Stream stream, float* write, float scalar, const float* read, std::uint64_t count);
void axpy(Stream stream, float* write, float scalar, const float* a, const float* b,
          std::uint64_t count);
// Writes the same bits to every element of 1, 2 or 4 bytes.
void fill(Stream stream, void* write, std::uint32_t bits, std::size_t element_bytes,
          std::uint64_t count);
// Converts among f32, f16 and bf16, rounding to nearest even.
void cast(Stream stream, void* write, Type to, const void* read, Type from, std::uint64_t count);
// Changes state[0..1] (loss scale, clean steps) as CONVOY_OP_ADAPT_LOSS_SCALE says. result (may be
// null) gets the previous scale.
void adapt_loss_scale(Stream stream, float* state, const float* norms, std::uint64_t count,
                      std::uint64_t period, double* result);

}  // namespace convoy::cuda
