#include "plugins/devices/cpu/convolutions/tap_kernels.hpp"
#include "plugins/devices/cpu/kernels/instruction_set.hpp"

namespace convoy::cpu {

namespace baseline {
extern const TapKernels kTapKernelsOf8, kTapKernelsOf16;
}
#ifdef CONVOY_X86_KERNELS
namespace x86_64_v3 {
extern const TapKernels kTapKernelsOf8, kTapKernelsOf16;
}
namespace x86_64_v4 {
extern const TapKernels kTapKernelsOf8, kTapKernelsOf16;
}
#endif

const TapKernels& tap_kernels(std::size_t block) {
#ifdef CONVOY_X86_KERNELS
  if (has_x86_64_v4()) return block == 8 ? x86_64_v4::kTapKernelsOf8 : x86_64_v4::kTapKernelsOf16;
  if (has_x86_64_v3()) return block == 8 ? x86_64_v3::kTapKernelsOf8 : x86_64_v3::kTapKernelsOf16;
#endif
  return block == 8 ? baseline::kTapKernelsOf8 : baseline::kTapKernelsOf16;
}

}  // namespace convoy::cpu
