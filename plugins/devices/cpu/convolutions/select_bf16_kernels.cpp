#include "plugins/devices/cpu/convolutions/bf16_kernels.hpp"

#ifdef CONVOY_X86_KERNELS
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <oneapi/dnnl/dnnl.hpp>
#endif

namespace convoy::cpu {

#ifdef CONVOY_X86_KERNELS
extern const Bf16Packing kBf16Packing;
extern const Bf16Products kAmxProducts;
extern const Bf16Products kVectorProducts;

namespace {

struct Features {
  bool tiles, vectors;
};

Features processor_features() {
  constexpr unsigned kFeatures = 7;
  constexpr unsigned kAmxBf16 = 1u << 22, kAmxTile = 1u << 24;  // in edx of sub-leaf 0
  constexpr unsigned kAvx512Bf16 = 1u << 5;                     // in eax of sub-leaf 1
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid_count(kFeatures, 0, &eax, &ebx, &ecx, &edx) == 0) return {};
  const bool tiles = (edx & kAmxBf16) != 0 && (edx & kAmxTile) != 0;
  if (__get_cpuid_count(kFeatures, 1, &eax, &ebx, &ecx, &edx) == 0) return {};
  const bool vectors = (eax & kAvx512Bf16) != 0;
  return {tiles && vectors, vectors};
}

// Tile registers are large: a process may use them only after asking Linux for permission.
bool system_permits_amx() {
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

bool library_uses(dnnl::cpu_isa set) {
  const auto bits = static_cast<unsigned>(set);
  return (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & bits) == bits;
}

const Bf16Kernels* select() {
  static const Bf16Kernels kTiles = {kBf16Packing, kAmxProducts, true};
  static const Bf16Kernels kVectors = {kBf16Packing, kVectorProducts, false};
  const Features features = processor_features();
  if (features.tiles && library_uses(dnnl::cpu_isa::avx512_core_amx) && system_permits_amx()) {
    return &kTiles;
  }
  return features.vectors && library_uses(dnnl::cpu_isa::avx512_core_bf16) ? &kVectors : nullptr;
}

}  // namespace

const Bf16Kernels* bf16_kernels() {
  static const Bf16Kernels* const kChosen = select();
  return kChosen;
}
#else
const Bf16Kernels* bf16_kernels() {
  return nullptr;
}
#endif

}  // namespace convoy::cpu
