#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "plugins/devices/cuda/collectives/nccl_library.hpp"
#include "plugins/devices/cuda/collectives/rank_calls.hpp"

namespace convoy::cuda {

// Throws NCCL's error unless the call succeeded or is in progress. Throws TimedOut for a lost
// process.
void require_nccl(const NcclFunctions& nccl, ncclResult_t result, const char* what);

// The ranks of a communicator that are in this process.
struct CommunicatorRanks {
  ncclUniqueId id;
  std::uint32_t size;                // ranks in all processes
  std::vector<int> gpus;             // of this process, all different
  std::vector<std::uint32_t> ranks;  // ranks of `gpus`, ascending
};

// One NCCL communicator with a rank on each of several GPUs of this process, and possibly ranks in
// other processes. One thread at a time drives it. No function blocks for longer than the patience,
// because NCCL runs in non-blocking mode and is polled. Functions throw std::runtime_error with
// NCCL's text, or TimedOut.
class Communicator {
 public:
  using UseGpu = std::function<void(int gpu)>;  // sets the calling thread's GPU

  // For one process. gpus: one per rank, all different.
  Communicator(const NcclFunctions& nccl, const std::vector<int>& gpus, const UseGpu& use_gpu,
               std::chrono::duration<double> patience);
  // For several processes, which make theirs at the same time. Waits for them until is_given_up,
  // but at most join_patience. NCCL connects ranks when it first uses a path, and the path depends
  // on a call's kind and size. So the first call of each may take join_patience longer.
  Communicator(const NcclFunctions& nccl, const CommunicatorRanks& ranks, const UseGpu& use_gpu,
               std::chrono::duration<double> patience, std::chrono::duration<double> join_patience,
               std::function<bool()> is_given_up);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  const std::vector<int>& gpus() const { return gpus_; }
  // The numbers of the ranks of this process, one for each of gpus().
  const std::vector<std::uint32_t>& numbers() const { return numbers_; }
  std::uint32_t size() const { return size_; }  // ranks in all processes
  // Queues all calls as one group, each rank's on its stream, and returns when they are queued.
  // Returns how long they may take.
  std::chrono::duration<double> start(const RankCalls& calls,
                                      const std::vector<cudaStream_t>& streams);
  // Returns the error that occurred after a call had returned; empty if there is none, or while a
  // call is in progress, which finds its error itself. Any thread may call it.
  std::string error();
  // Any thread may call it, before abort: calls that wait for other processes then end with
  // TimedOut.
  void give_up() { given_up_.store(true); }
  // Ends whatever its kernels wait for. Afterwards it can only be destroyed. Any thread may call
  // it; it waits for a call in progress.
  void abort();

 private:
  ncclResult_t call(const RankCall& call, const RankCalls& all, cudaStream_t stream) const;
  void join(const CommunicatorRanks& it, const UseGpu& use_gpu);
  void finish_group(const char* what, std::chrono::duration<double> patience);
  std::chrono::duration<double> patience_with(const RankCalls& calls);
  void require(ncclResult_t result, const char* what) const { require_nccl(nccl_, result, what); }
  bool is_in_progress(const char* what) const;

  const NcclFunctions& nccl_;
  std::vector<int> gpus_;
  std::vector<std::uint32_t> numbers_;
  std::uint32_t size_;
  std::chrono::duration<double> patience_;
  std::chrono::duration<double> connecting_;  // additional time for calls that may have to connect
  std::function<bool()> is_given_up_;
  std::atomic<bool> given_up_{false};
  std::mutex mutex_;  // guards the members below, which an abort frees
  std::vector<ncclComm_t> ranks_;
  // Calls made so far: kind, type, count
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>> known_;
  bool aborted_ = false;
};

}  // namespace convoy::cuda
