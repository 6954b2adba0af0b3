#include <mutex>

#include "plugins/devices/cuda/collectives/collective_hub.hpp"
#include "plugins/devices/cuda/collectives/cuda_rank_streams.hpp"

namespace convoy::cuda {

void require_collectives() {
  static_cast<void>(nccl());
}

std::shared_ptr<Collectives> shared_collectives(double seconds) {
  static std::mutex mutex;
  static std::weak_ptr<Collectives> shared;
  const std::lock_guard lock(mutex);
  std::shared_ptr<Collectives> result = shared.lock();
  if (result == nullptr) {
    result = std::make_shared<CollectiveHub>(nccl(), std::make_unique<CudaRankStreams>(),
                                             std::chrono::duration<double>(seconds));
    shared = result;
  }
  return result;
}

}  // namespace convoy::cuda
