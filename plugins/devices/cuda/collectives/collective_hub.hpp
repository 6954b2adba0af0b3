#pragma once

#include <convoy/abi.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "plugins/devices/cuda/collectives/collectives.hpp"
#include "plugins/devices/cuda/collectives/communicator.hpp"
#include "plugins/devices/cuda/collectives/rank_streams.hpp"

namespace convoy::cuda {

// The collectives of all devices of the process. A collective is submitted to one device and runs
// as one NCCL operation on each participating GPU, after everything that the device's lane waits
// for, and before the lane's next work. All ranks of a collective are started together and before
// any rank of the next one, on one stream per GPU, so that no two GPUs run two collectives in
// different orders. Groups of several processes have communicators of their own, which the host
// opens and closes. A thread watches: when NCCL reports an error, a started collective does not end
// within its patience, or the host interrupts, everything is aborted and check() throws.
class CollectiveHub : public Collectives {
 public:
  CollectiveHub(const NcclFunctions& nccl, std::unique_ptr<RankStreams> streams,
                std::chrono::duration<double> patience);
  ~CollectiveHub() override;
  CollectiveHub(const CollectiveHub&) = delete;
  CollectiveHub& operator=(const CollectiveHub&) = delete;

  void name_device(int gpu, const std::string& name) override;
  void prepare(std::vector<int> gpus) override;
  void start(const convoy_submission& operation, int lane_gpu, cudaStream_t lane) override;
  convoy_collective_id make_id() override;
  void* open_group(const SpanningGroup& group) override;
  void close_group(void* group) override;
  void interrupt(const std::string& reason) override;
  void check() const override;

 private:
  struct Started {
    std::string text;
    std::vector<int> gpus;
    std::vector<std::uint32_t> numbers;     // numbers of the ranks, among all processes
    std::uint32_t elsewhere = 0;            // number of ranks in other processes
    std::vector<RankStreams::Event> begun;  // per rank
    std::vector<RankStreams::Event> done;
    int lane_gpu = 0;
    RankStreams::Event arrived = nullptr;  // on the lane
    std::chrono::duration<double> patience{};
    std::chrono::steady_clock::time_point since{};  // when it was first seen to have begun
  };

  Communicator& communicator_of(const convoy_submission& operation, const RankCalls& calls);
  std::vector<Communicator*> all_communicators() const;
  std::string error_text(Communicator& communicator) const;
  void queue(const RankCalls& calls, Communicator& communicator, cudaStream_t lane, Started& it);
  void watch_loop();
  void look();
  bool all_done(const Started& it) const;
  void give_back(Started& it);
  std::string waiting_text(const Started& it) const;
  bool take_failure(const std::exception_ptr& error);
  void abort_all();
  void fail(const std::exception_ptr& error);
  std::string name_of(int gpu) const;

  const NcclFunctions& nccl_;
  std::unique_ptr<RankStreams> streams_;
  std::chrono::duration<double> patience_;
  std::mutex starting_;       // held while one collective's ranks are started
  std::mutex ending_;         // held while communicators are aborted or closed
  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::map<std::vector<int>, std::unique_ptr<Communicator>> communicators_;  // by ascending GPUs
  std::vector<std::unique_ptr<Communicator>> groups_;  // communicators with other processes
  std::map<int, std::string> names_;
  std::deque<Started> started_;  // started and not seen to end, in the order of starting
  std::exception_ptr failure_;
  bool closing_ = false;
  bool aborted_ = false;  // true after a failure was handled
  std::atomic<bool> failed_{false};
  std::thread watcher_;
};

}  // namespace convoy::cuda
