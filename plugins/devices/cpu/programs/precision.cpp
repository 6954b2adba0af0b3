#include "plugins/devices/cpu/programs/precision.hpp"
#include "plugins/devices/cpu/onednn.hpp"

namespace convoy::cpu {

// Each instruction set of oneDNN is a bit mask; larger sets contain the bits of smaller ones.
bool multiplies_bf16() {
  constexpr auto kNeeded = static_cast<unsigned>(dnnl::cpu_isa::avx512_core_bf16);
  return (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & kNeeded) == kNeeded;
}

Precision precision_of(const convoy_compilation& what) {
  if (what.dtype != CONVOY_BF16) return Precision::kF32;
  return multiplies_bf16() ? Precision::kBf16 : Precision::kEmulatedBf16;
}

}  // namespace convoy::cpu
