#include "core/data/augment/kernels/table.hpp"

namespace convoy::data {

namespace pixels_baseline {
extern const PixelKernels kTable;
}
#ifdef CONVOY_X86_KERNELS
namespace pixels_x86_64_v3 {
extern const PixelKernels kTable;
}
namespace pixels_x86_64_v4 {
extern const PixelKernels kTable;
}
#endif

std::span<const PixelKernels* const> usable_pixel_kernels() {
#ifdef CONVOY_X86_KERNELS
  static constexpr const PixelKernels* kTables[] = {
      &pixels_baseline::kTable, &pixels_x86_64_v3::kTable, &pixels_x86_64_v4::kTable};
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
      !__builtin_cpu_supports("bmi2")) {
    return std::span(kTables).first(1);
  }
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  return std::span(kTables).first(wide ? 3 : 2);
#else
  static constexpr const PixelKernels* kTables[] = {&pixels_baseline::kTable};
  return kTables;
#endif
}

const PixelKernels& pixel_kernels() {
  return *usable_pixel_kernels().back();
}

}  // namespace convoy::data
