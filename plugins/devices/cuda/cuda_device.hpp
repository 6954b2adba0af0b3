#pragma once

#include <convoy/device.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "plugins/devices/cuda/collectives/collectives.hpp"
#include "plugins/devices/cuda/device_work.hpp"
#include "plugins/devices/cuda/graphs/graph_eligibility.hpp"
#include "plugins/devices/cuda/graphs/recorded_runs.hpp"
#include "plugins/devices/cuda/lanes/cuda_streams.hpp"
#include "plugins/devices/cuda/lanes/lane_engine.hpp"
#include "plugins/devices/cuda/lanes/pinned_slots.hpp"

namespace convoy::cuda {

struct DeviceSettings {
  int gpu = 0;                // in CUDA's numbering
  std::uint32_t index = 0;    // of the convoy device
  bool tf32 = false;          // products of f32 may round their factors to TF32
  std::uint32_t sharing = 1;  // how many devices use the same GPU, from this one on
  std::uint32_t devices = 1;  // devices of the process
  GraphMode graphs = GraphMode::kOff;
  double collective_seconds = 0;  // time limit of one collective
};

// A GPU, or a share of one, as a convoy device. The engine's thread queues programs, operations and
// copies on its streams.
class CudaDevice : public Device {
 public:
  static constexpr std::uint32_t kPreference = CONVOY_PREFERENCE_ACCELERATORS;
  static constexpr std::uint32_t kKernelForms =
      1u << CONVOY_KERNEL_CUDA_SOURCE | 1u << CONVOY_KERNEL_PTX;

  static std::uint32_t count(const DeviceHost& host, const convoy_device_request& request);
  static std::unique_ptr<Device> open(const DeviceHost& host, const convoy_device_request& request,
                                      std::uint32_t index);

  explicit CudaDevice(const DeviceSettings& settings);
  ~CudaDevice() override;

  void describe(convoy_device_description& out) override;
  void propose_layout(const convoy_compilation& what, convoy_layout* out) override;
  void* compile(const convoy_compilation& what) override;
  std::string remark(void* program) override;
  void release(void* program) override;
  void* allocate(std::uint64_t bytes) override;
  void* allocate_host(std::uint64_t bytes) override;
  void deallocate(void* memory) override;
  void write(void* to, const void* from_host, std::uint64_t bytes) override;
  void read(void* to_host, const void* from, std::uint64_t bytes) override;
  void supports(const convoy_operation& operation) override;
  bool reaches(Device& other) override;
  void supports_collectives(const std::vector<Device*>& devices, bool prepare) override;
  convoy_collective_id create_collective_id() override;
  void* open_collective_group(const CollectiveGroup& what) override;
  void close_collective_group(void* group) override;
  void interrupt_collective_group(void* group, const std::string& reason) override;
  void submit(const convoy_submission& submission) override;
  bool wait(const convoy_wait& point, double seconds) override;
  double now() override;
  convoy_program_memory program_memory(void* program) override;
  std::vector<convoy_profile_record> profile(void* program) override;
  double measure(std::uint32_t what) override;
  void* build_kernel(const convoy_kernel_code& code) override;
  void free_kernel(void* kernel) override;

 private:
  void use_gpu() const;
  std::unique_lock<std::mutex> between_recordings();
  std::uint64_t held_bytes();
  void* execute(const convoy_submission& submission);
  void run_collective(const convoy_submission& submission, cudaStream_t stream);
  void keep_collectives(const std::vector<Device*>& devices,
                        const std::shared_ptr<Collectives>& shared);
  void finish(const convoy_submission* submission, void* token);
  std::shared_ptr<Collectives> collectives();
  void join_collectives();

  DeviceSettings settings_;
  CudaStreams streams_;
  PinnedSlots slots_;
  DeviceWork work_;
  std::unique_ptr<RecordedRuns> recorded_;  // null: nothing is replayed
  std::mutex mutex_;                        // guards the members below
  std::set<void*> host_memory_;
  std::map<void*, std::uint64_t> device_memory_;  // bytes
  std::shared_ptr<Collectives> collectives_;      // null: none of its groups was prepared
  std::unique_ptr<LaneEngine> engine_;            // last, because its threads use all the others
};

}  // namespace convoy::cuda
