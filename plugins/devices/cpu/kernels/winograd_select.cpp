#include "plugins/devices/cpu/kernels/winograd.hpp"

namespace convoy::cpu {

namespace baseline {
extern const WinogradKernels kWinogradTable;
}
#ifdef CONVOY_X86_KERNELS
namespace x86_64_v3 {
extern const WinogradKernels kWinogradTable;
}
namespace x86_64_v4 {
extern const WinogradKernels kWinogradTable;
}
#endif

const WinogradKernels& winograd_kernels() {
#ifdef CONVOY_X86_KERNELS
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
    return x86_64_v4::kWinogradTable;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2")) {
    return x86_64_v3::kWinogradTable;
  }
#endif
  return baseline::kWinogradTable;
}

}  // namespace convoy::cpu
