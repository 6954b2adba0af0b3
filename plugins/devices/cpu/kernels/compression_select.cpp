#include "plugins/devices/cpu/kernels/compression.hpp"
#include "plugins/devices/cpu/kernels/instruction_set.hpp"

namespace convoy::cpu {

namespace baseline {
extern const CompressionKernels kCompression;
}
#ifdef CONVOY_X86_KERNELS
namespace x86_64_v3 {
extern const CompressionKernels kCompression;
}
namespace x86_64_v4 {
extern const CompressionKernels kCompression;
}
#endif

const CompressionKernels& compression_kernels() {
#ifdef CONVOY_X86_KERNELS
  if (has_x86_64_v4()) return x86_64_v4::kCompression;
  if (has_x86_64_v3()) return x86_64_v3::kCompression;
#endif
  return baseline::kCompression;
}

}  // namespace convoy::cpu
