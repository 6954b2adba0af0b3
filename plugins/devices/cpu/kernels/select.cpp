#include "plugins/devices/cpu/kernels/table.hpp"

namespace convoy::cpu {

namespace baseline {
extern const KernelTable kTable;
}
#ifdef CONVOY_X86_KERNELS
namespace x86_64_v3 {
extern const KernelTable kTable;
}
namespace x86_64_v4 {
extern const KernelTable kTable;
}
#endif

const KernelTable& kernels() {
#ifdef CONVOY_X86_KERNELS
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
    return x86_64_v4::kTable;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2")) {
    return x86_64_v3::kTable;
  }
#endif
  return baseline::kTable;
}

}  // namespace convoy::cpu
