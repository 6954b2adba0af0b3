#pragma once

#include <convoy/abi.h>

#include <cstddef>
#include <cstdint>

#include "plugins/devices/shared/rule_constants.hpp"

namespace convoy::cpu {

// Constants of one optimizer step on one stretch of memory.
struct ApplyConstants : RuleConstants {
  float inverse_loss_scale;
};

// Loops over contiguous f32. There is one instance per instruction set. Every function computes
// each element by itself with separately rounded operations, so that all instruction sets give the
// same bits. Outputs may be one of the inputs, element for element.
struct KernelTable {
  const char* name;
  void (*add)(float* write, const float* a, const float* b, std::size_t count);
  void (*scale)(float* write, float scalar, const float* read, std::size_t count);
  void (*axpy)(float* write, float scalar, const float* a, const float* b, std::size_t count);
  void (*sum)(float* const* writes, std::size_t write_count, const float* const* reads,
              std::size_t read_count, std::size_t first, std::size_t count,
              std::uint32_t reduction);
  void (*apply)(const ApplyConstants& constants, float* parameters, const float* gradient,
                float* state0, float* state1, std::size_t count);
  double (*dot)(const float* a, const float* b, std::size_t count);
  // Sums the squares of the gradient as apply sees it before clipping. If parameters is null, the
  // gradient is the mean alone.
  double (*gradient_square_sum)(const ApplyConstants& constants, const float* gradient,
                                const float* parameters, std::size_t count);
  void (*f32_to_f16)(std::uint16_t* write, const float* read, std::size_t count);
  void (*f16_to_f32)(float* write, const std::uint16_t* read, std::size_t count);
  void (*f32_to_bf16)(std::uint16_t* write, const float* read, std::size_t count);
  void (*bf16_to_f32)(float* write, const std::uint16_t* read, std::size_t count);
  // write <- clamp(a + b, 0, limit); limit 0 = unbounded.
  void (*add_relu)(float* write, const float* a, const float* b, float limit, std::size_t count);
  void (*relu)(float* write, const float* read, float limit, std::size_t count);
  // Zeroes the gradient if the output was clipped.
  void (*relu_backward)(float* gradient, const float* output, float limit, std::size_t count);
  // The same for the sum of two gradients, written to the first.
  void (*add_relu_backward)(float* gradient, const float* addend, const float* output, float limit,
                            std::size_t count);
  // write <- keep element i with probability threshold / 2^32, scaled; i counts from first.
  void (*dropout)(float* write, const float* read, std::uint64_t key, std::uint32_t threshold,
                  float factor, std::size_t first, std::size_t count);
  // write <- the nearest bf16 value, ties to even, as f32.
  void (*round_to_bf16)(float* write, const float* read, std::size_t count);
  void (*multiply)(float* write, const float* a, const float* b, std::size_t count);
};

// Returns the best table for this processor.
const KernelTable& kernels();

}  // namespace convoy::cpu
