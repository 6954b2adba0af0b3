#pragma once

namespace convoy::cpu {

#ifdef CONVOY_X86_KERNELS
// Whether this processor has the instructions that the kernels of a set are compiled for.
inline bool has_x86_64_v4() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}

inline bool has_x86_64_v3() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi2");
}
#endif

}  // namespace convoy::cpu
