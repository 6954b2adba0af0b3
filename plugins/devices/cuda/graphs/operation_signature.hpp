#pragma once

#include <convoy/abi.h>

#include "plugins/devices/cuda/graphs/run_work.hpp"

namespace convoy::cuda {

// Appends everything that an operation on regions holds by value, except its learning rate and
// step, which are StepValues.
void append_signature(const convoy_submission& operation, Signature& signature);

// An address as a part of a signature.
inline std::uint64_t word_of(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

}  // namespace convoy::cuda
