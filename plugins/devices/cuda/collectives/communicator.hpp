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

// Throws what NCCL says unless the call was successful or is under way: TimedOut for a lost
// process.
void require_nccl(const NcclFunctions& nccl, ncclResult_t result, const char* what);

// Which ranks of a communicator are in this process.
struct CommunicatorRanks {
  ncclUniqueId id;
  std::uint32_t size;                // ranks in all processes
  std::vector<int> gpus;             // of this process, all different
  std::vector<std::uint32_t> ranks;  // of those, ascending
};

// One NCCL communicator with a rank on each of several GPUs of this process, and perhaps others in
// other processes, driven by one thread at a time. Nothing blocks for longer than the patience:
// NCCL is told not to, and asked until it is done. Functions throw std::runtime_error with NCCL's
// own words, or TimedOut.
class Communicator {
 public:
  using UseGpu = std::function<void(int gpu)>;  // makes a GPU the calling thread's

  // Of one process. gpus: one per rank, all different.
  Communicator(const NcclFunctions& nccl, const std::vector<int>& gpus, const UseGpu& use_gpu,
               std::chrono::duration<double> patience);
  // Of several processes, which make theirs at the same time. Waits for them until is_given_up, for
  // join_patience at most. NCCL connects them when it first goes a way, and which way it goes
  // depends on a call's kind and size: the first call of each may take join_patience longer.
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
  // Queues all calls as one group, each rank's on its stream; done when they are queued. Gives how
  // long they may take.
  std::chrono::duration<double> start(const RankCalls& calls,
                                      const std::vector<cudaStream_t>& streams);
  // What went wrong after a call had returned; empty when nothing has, or while one is being made,
  // which finds out for itself. From any thread.
  std::string error();
  // From any thread, before abort: calls that wait for other processes end with TimedOut.
  void give_up() { given_up_.store(true); }
  // Ends whatever its kernels wait for; afterwards it can do nothing but be destroyed. From any
  // thread; waits for a call that is being made.
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
  std::chrono::duration<double> connecting_;  // allowed on top to what may have to connect
  std::function<bool()> is_given_up_;
  std::atomic<bool> given_up_{false};
  std::mutex mutex_;  // of what follows: an abort frees it
  std::vector<ncclComm_t> ranks_;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>> known_;  // kind, type, count
  bool aborted_ = false;
};

}  // namespace convoy::cuda
