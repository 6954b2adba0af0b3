#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "plugins/devices/cuda/collectives/nccl_library.hpp"
#include "plugins/devices/cuda/collectives/rank_calls.hpp"

namespace convoy::cuda {

// One NCCL communicator with a rank on each of several GPUs of this process, driven by one thread
// at a time. Nothing blocks for longer than the patience: NCCL is told not to, and asked until it
// is done. Functions throw std::runtime_error with NCCL's own words, or TimedOut.
class Communicator {
 public:
  using UseGpu = std::function<void(int gpu)>;  // makes a GPU the calling thread's

  // gpus: one per rank, all different.
  Communicator(const NcclFunctions& nccl, std::vector<int> gpus, const UseGpu& use_gpu,
               std::chrono::duration<double> patience);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  const std::vector<int>& gpus() const { return gpus_; }
  // Queues all calls as one group, each rank's on its stream; done when they are queued.
  void start(const RankCalls& calls, const std::vector<cudaStream_t>& streams);
  // What went wrong after a call had returned; empty when nothing has, or while one is being made,
  // which finds out for itself. From any thread.
  std::string error();
  // Ends whatever its kernels wait for; afterwards it can do nothing but be destroyed. From any
  // thread; waits for a call that is being made.
  void abort();

 private:
  ncclResult_t call(const RankCall& call, const RankCalls& all, cudaStream_t stream) const;
  void finish_group(const char* what);
  void require(ncclResult_t result, const char* what) const;
  bool is_in_progress(const char* what) const;

  const NcclFunctions& nccl_;
  std::vector<int> gpus_;
  std::chrono::duration<double> patience_;
  std::mutex mutex_;  // of what follows: an abort frees it
  std::vector<ncclComm_t> ranks_;
  bool aborted_ = false;
};

}  // namespace convoy::cuda
