#include "plugins/devices/cpu/kernels/instruction_set.hpp"
#include "plugins/devices/cpu/kernels/pool.hpp"

namespace convoy::cpu {

namespace baseline {
extern const PoolKernels kPoolTables[2];
}
#ifdef CONVOY_X86_KERNELS
namespace x86_64_v3 {
extern const PoolKernels kPoolTables[2];
}
namespace x86_64_v4 {
extern const PoolKernels kPoolTables[2];
}
#endif

const PoolKernels& pool_kernels(std::size_t block) {
  const std::size_t index = block == 8 ? 0 : 1;
#ifdef CONVOY_X86_KERNELS
  if (has_x86_64_v4()) return x86_64_v4::kPoolTables[index];
  if (has_x86_64_v3()) return x86_64_v3::kPoolTables[index];
#endif
  return baseline::kPoolTables[index];
}

}  // namespace convoy::cpu
