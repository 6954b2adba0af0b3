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
  std::vector<std::uint32_t> ranks;  // ranks of `gpus`, ascending
  double seconds = 0;                // longest time for joining
  std::function<bool()> is_given_up;
};

// The collectives among the devices of the process. Thread-safe.
class Collectives {
 public:
  virtual ~Collectives() = default;
  // Sets the name of the device on a GPU for messages.
  virtual void name_device(int gpu, const std::string& name) = 0;
  // Makes the resources for collectives among these GPUs. May change the calling thread's GPU.
  virtual void prepare(std::vector<int> gpus) = 0;
  // Queues a collective after the work on `lane`, a stream of lane_gpu, and makes the lane wait for
  // it. May change the calling thread's GPU.
  virtual void start(const convoy_submission& operation, int lane_gpu, cudaStream_t lane) = 0;
  // Makes the id of a group of devices of several processes.
  virtual convoy_collective_id make_id() = 0;
  // Joins the group with these GPUs of this process. Returns the handle that submissions use.
  // Throws TimedOut when the other processes do not join. May change the calling thread's GPU.
  virtual void* open_group(const SpanningGroup& group) = 0;
  // Closes the group, while none of its collectives is running.
  virtual void close_group(void* group) = 0;
  // Running collectives will not end by themselves: check() throws TimedOut with this reason from
  // now on. Does not wait.
  virtual void interrupt(const std::string& reason) = 0;
  // Throws the failure that ended the collectives, if there is one: TimedOut, or
  // std::runtime_error.
  virtual void check() const = 0;
};

// The properties of a device that decide whether its group can have collectives.
struct GroupMember {
  std::string name;
  int gpu = 0;
  std::string pci_address;
};

// Returns why NCCL has no collectives over these devices of the process; empty when the devices do
// not prevent them. launch_blocking: the environment's CUDA_LAUNCH_BLOCKING, null if not set.
std::string group_refusal(const std::vector<GroupMember>& members, const char* launch_blocking);

// Throws std::runtime_error when there are no collectives: NCCL is missing or has the wrong
// version.
void require_collectives();
// Returns the collectives of this process. The first call makes them, and the last pointer frees
// them. seconds: time limit of one collective.
std::shared_ptr<Collectives> shared_collectives(double seconds);

}  // namespace convoy::cuda
