#include "plugins/devices/cpu/kernels/depthwise.hpp"
#include "plugins/devices/cpu/kernels/instruction_set.hpp"

namespace convoy::cpu {

namespace baseline {
extern const DepthwiseKernels kDepthwiseTables[2];
}
#ifdef CONVOY_X86_KERNELS
namespace x86_64_v3 {
extern const DepthwiseKernels kDepthwiseTables[2];
}
namespace x86_64_v4 {
extern const DepthwiseKernels kDepthwiseTables[2];
}
#endif

const DepthwiseKernels& depthwise_kernels(std::size_t block) {
  const std::size_t index = block == 8 ? 0 : 1;
#ifdef CONVOY_X86_KERNELS
  if (has_x86_64_v4()) return x86_64_v4::kDepthwiseTables[index];
  if (has_x86_64_v3()) return x86_64_v3::kDepthwiseTables[index];
#endif
  return baseline::kDepthwiseTables[index];
}

}  // namespace convoy::cpu
