#include "plugins/devices/cpu/kernels/channels_last.hpp"
#include "plugins/devices/cpu/kernels/channels_last_pool.hpp"
#include "plugins/devices/cpu/kernels/instruction_set.hpp"
#include "plugins/devices/cpu/kernels/paired_weights.hpp"

namespace convoy::cpu {

namespace baseline {
extern const ChannelsLastKernels kChannelsLast;
extern const ChannelsLastPoolKernels kChannelsLastPool;
extern const PairedWeightsKernels kPairedWeights;
}  // namespace baseline
#ifdef CONVOY_X86_KERNELS
namespace x86_64_v3 {
extern const ChannelsLastKernels kChannelsLast;
extern const ChannelsLastPoolKernels kChannelsLastPool;
extern const PairedWeightsKernels kPairedWeights;
}  // namespace x86_64_v3
namespace x86_64_v4 {
extern const ChannelsLastKernels kChannelsLast;
extern const ChannelsLastPoolKernels kChannelsLastPool;
extern const PairedWeightsKernels kPairedWeights;
}  // namespace x86_64_v4
#endif

const ChannelsLastKernels& channels_last_kernels() {
#ifdef CONVOY_X86_KERNELS
  if (has_x86_64_v4()) return x86_64_v4::kChannelsLast;
  if (has_x86_64_v3()) return x86_64_v3::kChannelsLast;
#endif
  return baseline::kChannelsLast;
}

const ChannelsLastPoolKernels& channels_last_pool_kernels() {
#ifdef CONVOY_X86_KERNELS
  if (has_x86_64_v4()) return x86_64_v4::kChannelsLastPool;
  if (has_x86_64_v3()) return x86_64_v3::kChannelsLastPool;
#endif
  return baseline::kChannelsLastPool;
}

const PairedWeightsKernels& paired_weights_kernels() {
#ifdef CONVOY_X86_KERNELS
  if (has_x86_64_v4()) return x86_64_v4::kPairedWeights;
  if (has_x86_64_v3()) return x86_64_v3::kPairedWeights;
#endif
  return baseline::kPairedWeights;
}

}  // namespace convoy::cpu
