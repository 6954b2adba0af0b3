#include "plugins/devices/cpu/kernels/instruction_set.hpp"
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
  if (has_x86_64_v4()) return x86_64_v4::kTable;
  if (has_x86_64_v3()) return x86_64_v3::kTable;
#endif
  return baseline::kTable;
}

}  // namespace convoy::cpu
