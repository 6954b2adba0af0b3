#include "plugins/devices/cpu/kernels/cell_grid.hpp"
#include "plugins/devices/cpu/kernels/instruction_set.hpp"

namespace convoy::cpu {

namespace baseline {
extern const CellKernels<float> kFloatCells;
extern const CellKernels<Bf16> kBf16Cells;
}  // namespace baseline
#ifdef CONVOY_X86_KERNELS
namespace x86_64_v3 {
extern const CellKernels<float> kFloatCells;
extern const CellKernels<Bf16> kBf16Cells;
}  // namespace x86_64_v3
namespace x86_64_v4 {
extern const CellKernels<float> kFloatCells;
extern const CellKernels<Bf16> kBf16Cells;
}  // namespace x86_64_v4
#endif

template <>
const CellKernels<float>& cell_kernels<float>() {
#ifdef CONVOY_X86_KERNELS
  if (has_x86_64_v4()) return x86_64_v4::kFloatCells;
  if (has_x86_64_v3()) return x86_64_v3::kFloatCells;
#endif
  return baseline::kFloatCells;
}

template <>
const CellKernels<Bf16>& cell_kernels<Bf16>() {
#ifdef CONVOY_X86_KERNELS
  if (has_x86_64_v4()) return x86_64_v4::kBf16Cells;
  if (has_x86_64_v3()) return x86_64_v3::kBf16Cells;
#endif
  return baseline::kBf16Cells;
}

}  // namespace convoy::cpu
