#pragma once

#include <cstdint>

namespace convoy::topology {

// NCCL's dumps number the families of x86 processors in their own way: the base family of CPUID,
// plus 16 times the extended one. Family 23 (Zen) is 143 there, and family 6 is 6. These functions
// translate; older dumps of convoy have the processor's own number, which passes unchanged.
inline std::uint64_t family_of_nccl(std::uint64_t number) {
  const std::uint64_t base = number % 16;
  return base == 15 ? base + number / 16 : number;
}
inline std::uint64_t family_in_nccl(std::uint64_t family) {
  return family < 15 ? family : 15 + 16 * (family - 15);
}

}  // namespace convoy::topology
