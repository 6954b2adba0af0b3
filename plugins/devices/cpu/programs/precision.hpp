#pragma once

#include <convoy/abi.h>

namespace convoy::cpu {

// How a program stores activations and their gradients, and how it multiplies.
enum class Precision {
  kF32,
  kEmulatedBf16,  // stored as f32 with the values of bf16, computed with 32-bit instructions
  kBf16,          // stored as bf16 with channels last, multiplied by bf16 instructions
};

// Whether this processor multiplies bf16 (AVX512_BF16 or AMX), within the limit that the
// environment variable ONEDNN_MAX_CPU_ISA sets.
bool multiplies_bf16();

// Returns f32, or the better of the two ways to compute in bf16.
Precision precision_of(const convoy_compilation& what);

}  // namespace convoy::cpu
