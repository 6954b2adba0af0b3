#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "plugins/devices/cuda/collectives/rank_streams.hpp"

namespace convoy::cuda {

// Streams of high priority, and reusable events. Thread-safe.
class CudaRankStreams : public RankStreams {
 public:
  CudaRankStreams() = default;
  ~CudaRankStreams() override;
  CudaRankStreams(const CudaRankStreams&) = delete;
  CudaRankStreams& operator=(const CudaRankStreams&) = delete;

  void use(int gpu) override;
  cudaStream_t stream(int gpu) override;
  int gpu_of(const void* memory) override;
  Event record(int gpu, cudaStream_t stream) override;
  void wait(cudaStream_t stream, Event event) override;
  bool reached(Event event) override;
  void give_back(int gpu, Event event) override;

 private:
  struct Gpu {
    cudaStream_t stream = nullptr;
    std::vector<cudaEvent_t> all;
    std::vector<cudaEvent_t> free;
  };

  cudaEvent_t take(int gpu);

  std::mutex mutex_;
  std::map<int, Gpu> gpus_;
};

}  // namespace convoy::cuda
