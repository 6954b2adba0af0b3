#include <convoy/waking.hpp>

#include "plugins/devices/cuda/cuda_device.hpp"
#include "plugins/devices/cuda/lanes/event_ledger.hpp"

namespace convoy::cuda {
namespace {

void advanced(const std::uint64_t* /*timeline*/, std::uint64_t /*value*/) noexcept {
  shared_ledger()->ring();
}

}  // namespace
}  // namespace convoy::cuda

CONVOY_DEVICE(convoy::cuda::CudaDevice, "name=cuda", "version=0.1.0",
              "description=NVIDIA GPUs, with cuDNN and cuBLASLt.",
              "option=gpu_indices:string:::GPUs by number or id (GPU-8932f937), among those that "
              "CUDA_VISIBLE_DEVICES leaves; 0,0 = two devices on one GPU.",
              "option=collective_timeout:int:120::Seconds that one collective of several GPUs may "
              "take before the run ends; the first of its kind and size between tasks has "
              "join_timeout more, to connect.",
              "option=cuda_graph:enum:auto:auto|on|off:Replay steps as CUDA graphs; auto = off.",
              "option=tf32:bool:false::Products of 32-bit numbers round their factors to TF32 (10 "
              "bits of mantissa): faster.");
CONVOY_DEVICE_WAKING(convoy::cuda::timeline_listeners, convoy::cuda::advanced);
