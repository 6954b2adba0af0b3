#include "plugins/devices/cpu/convolutions/amx_kernels.hpp"

#ifdef CONVOY_X86_KERNELS
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <oneapi/dnnl/dnnl.hpp>
#endif

namespace convoy::cpu {

#ifdef CONVOY_X86_KERNELS
extern const AmxKernels kAmxKernels;

namespace {

bool processor_has_amx() {
  constexpr unsigned kFeatures = 7;
  constexpr unsigned kAmxBf16 = 1u << 22, kAmxTile = 1u << 24;  // in edx of sub-leaf 0
  constexpr unsigned kAvx512Bf16 = 1u << 5;                     // in eax of sub-leaf 1
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid_count(kFeatures, 0, &eax, &ebx, &ecx, &edx) == 0) return false;
  if ((edx & kAmxBf16) == 0 || (edx & kAmxTile) == 0) return false;
  return __get_cpuid_count(kFeatures, 1, &eax, &ebx, &ecx, &edx) != 0 && (eax & kAvx512Bf16) != 0;
}

// Tile registers are large: Linux lets a process use them once it has asked.
bool system_permits_amx() {
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

bool library_uses_amx() {
  const auto amx = static_cast<unsigned>(dnnl::cpu_isa::avx512_core_amx);
  return (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & amx) == amx;
}

}  // namespace

const AmxKernels* amx_kernels() {
  static const bool kUsable = processor_has_amx() && library_uses_amx() && system_permits_amx();
  return kUsable ? &kAmxKernels : nullptr;
}
#else
const AmxKernels* amx_kernels() {
  return nullptr;
}
#endif

}  // namespace convoy::cpu
