#pragma once

#include <convoy/abi.h>
#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace convoy::cuda {

// The ranks of this process in a group of devices of several processes.
struct SpanningGroup {
  convoy_collective_id id;
  std::uint32_t size = 0;            // ranks in all processes
  std::vector<int> gpus;             // of this process
  std::vector<std::uint32_t> ranks;  // of those, ascending
  double seconds = 0;                // that joining may take
  std::function<bool()> is_given_up;
};

// The collectives that the devices of the process run among themselves. Thread-safe.
class Collectives {
 public:
  virtual ~Collectives() = default;
  // How messages call the device on a GPU.
  virtual void name_device(int gpu, const std::string& name) = 0;
  // Makes what collectives among these GPUs need. The calling thread has another GPU afterwards.
  virtual void prepare(std::vector<int> gpus) = 0;
  // Queues a collective behind what is queued on `lane`, a stream of lane_gpu, and the lane behind
  // it. The calling thread has another GPU afterwards.
  virtual void start(const convoy_submission& operation, int lane_gpu, cudaStream_t lane) = 0;
  // The id of a group of devices of several processes.
  virtual convoy_collective_id make_id() = 0;
  // Joins the group, with these GPUs of this process; gives what submissions name it by. Throws
  // TimedOut when the other processes do not come. The calling thread has another GPU afterwards.
  virtual void* open_group(const SpanningGroup& group) = 0;
  // With none of its collectives under way.
  virtual void close_group(void* group) = 0;
  // Nothing that is under way will end by itself: check() throws TimedOut with this reason. Does
  // not wait.
  virtual void interrupt(const std::string& reason) = 0;
  // Throws what ended the collectives, if anything did: TimedOut, or std::runtime_error.
  virtual void check() const = 0;
};

// One device of a group, as far as it matters whether the group can have collectives.
struct GroupMember {
  std::string name;
  int gpu = 0;
  std::string pci_address;
};

// Why NCCL has no collectives over these devices of the process; empty when nothing of them speaks
// against it. launch_blocking: CUDA_LAUNCH_BLOCKING of the environment, null where it is not set.
std::string group_refusal(const std::vector<GroupMember>& members, const char* launch_blocking);

// Throws std::runtime_error when there are none here: no NCCL, or one that does not fit.
void require_collectives();
// The collectives of this process: made by the first call, freed with the last pointer. seconds:
// how long one collective may take.
std::shared_ptr<Collectives> shared_collectives(double seconds);

}  // namespace convoy::cuda
