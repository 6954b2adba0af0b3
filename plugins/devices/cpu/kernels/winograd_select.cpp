#include "plugins/devices/cpu/kernels/winograd.hpp"

namespace convoy::cpu {

namespace baseline {
extern const WinogradKernels kWinogradTables[2];
}
#ifdef CONVOY_X86_KERNELS
namespace x86_64_v3 {
extern const WinogradKernels kWinogradTables[2];
}
namespace x86_64_v4 {
extern const WinogradKernels kWinogradTables[2];
}
#endif

namespace {

const WinogradKernels* winograd_tables() {
#ifdef CONVOY_X86_KERNELS
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
    return x86_64_v4::kWinogradTables;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2")) {
    return x86_64_v3::kWinogradTables;
  }
#endif
  return baseline::kWinogradTables;
}

}  // namespace

const WinogradKernels& winograd_kernels(std::size_t taps) {
  return winograd_tables()[taps == 3 ? 0 : 1];
}

}  // namespace convoy::cpu
