#include "plugins/devices/cuda/collectives/cuda_rank_streams.hpp"

#include "plugins/devices/cuda/status.hpp"

namespace convoy::cuda {

// Ignores errors.
CudaRankStreams::~CudaRankStreams() {
  for (const auto& [gpu, it] : gpus_) {
    static_cast<void>(cudaSetDevice(gpu));
    for (cudaEvent_t event : it.all) static_cast<void>(cudaEventDestroy(event));
    static_cast<void>(cudaStreamDestroy(it.stream));
  }
}

void CudaRankStreams::use(int gpu) {
  require(cudaSetDevice(gpu), "choosing the GPU");
}

cudaStream_t CudaRankStreams::stream(int gpu) {
  const std::lock_guard lock(mutex_);
  Gpu& it = gpus_[gpu];
  if (it.stream != nullptr) return it.stream;
  use(gpu);
  int lowest = 0;
  int highest = 0;
  require(cudaDeviceGetStreamPriorityRange(&lowest, &highest), "asking for stream priorities");
  require(cudaStreamCreateWithPriority(&it.stream, cudaStreamNonBlocking, highest),
          "creating a stream");
  return it.stream;
}

int CudaRankStreams::gpu_of(const void* memory) {
  cudaPointerAttributes attributes{};
  require(cudaPointerGetAttributes(&attributes, memory), "asking whose memory it is");
  return attributes.type == cudaMemoryTypeDevice ? attributes.device : -1;
}

// An event belongs to the GPU that the thread had when it was made.
cudaEvent_t CudaRankStreams::take(int gpu) {
  const std::lock_guard lock(mutex_);
  Gpu& it = gpus_[gpu];
  if (it.free.empty()) {
    use(gpu);
    cudaEvent_t event = nullptr;
    require(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "creating an event");
    it.all.push_back(event);
    return event;
  }
  cudaEvent_t event = it.free.back();
  it.free.pop_back();
  return event;
}

RankStreams::Event CudaRankStreams::record(int gpu, cudaStream_t stream) {
  cudaEvent_t event = take(gpu);
  require(cudaEventRecord(event, stream), "recording an event");
  return event;
}

void CudaRankStreams::wait(cudaStream_t stream, Event event) {
  require(cudaStreamWaitEvent(stream, static_cast<cudaEvent_t>(event), 0), "letting a stream wait");
}

bool CudaRankStreams::reached(Event event) {
  const cudaError_t status = cudaEventQuery(static_cast<cudaEvent_t>(event));
  if (status == cudaErrorNotReady) return false;
  require(status, "running a collective");
  return true;
}

void CudaRankStreams::give_back(int gpu, Event event) {
  const std::lock_guard lock(mutex_);
  gpus_.at(gpu).free.push_back(static_cast<cudaEvent_t>(event));
}

}  // namespace convoy::cuda
