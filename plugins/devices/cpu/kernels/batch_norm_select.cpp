#include "plugins/devices/cpu/kernels/batch_norm.hpp"

namespace convoy::cpu {

namespace baseline {
extern const BatchNormKernels kBatchNormTables[2];
}
#ifdef CONVOY_X86_KERNELS
namespace x86_64_v3 {
extern const BatchNormKernels kBatchNormTables[2];
}
namespace x86_64_v4 {
extern const BatchNormKernels kBatchNormTables[2];
}
#endif

const BatchNormKernels& batch_norm_kernels(std::size_t block) {
  const std::size_t index = block == 8 ? 0 : 1;
#ifdef CONVOY_X86_KERNELS
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
    return x86_64_v4::kBatchNormTables[index];
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2")) {
    return x86_64_v3::kBatchNormTables[index];
  }
#endif
  return baseline::kBatchNormTables[index];
}

}  // namespace convoy::cpu
