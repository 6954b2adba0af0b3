#pragma once

#include <convoy/abi.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plugins/devices/cuda/cudnn_library.hpp"
#include "plugins/devices/cuda/device_memory.hpp"
#include "plugins/devices/cuda/graphs/graph_eligibility.hpp"
#include "plugins/devices/cuda/graphs/replayed_segments.hpp"
#include "plugins/devices/cuda/matrix_product.hpp"
#include "plugins/devices/cuda/memory_plan.hpp"
#include "plugins/devices/cuda/pinned_slots.hpp"

namespace convoy::cuda {

// What tasks run with.
struct Run {
  const convoy_compute& compute;
  std::uint64_t step;
  cudaStream_t stream;
  std::byte* arena;
  const MemoryPlan& plan;
  void* scratch;
  LossResult* result;

  void* at(MemoryPlan::Id id) const { return arena + plan.offset(id); }
  float* floats_at(MemoryPlan::Id id) const { return static_cast<float*>(at(id)); }
  // Of the arena of parameters and of that of gradients, from an element on.
  const float* parameter(std::uint64_t first) const { return compute.parameters + first; }
  float* gradient(std::uint64_t first) const { return compute.gradients + first; }
};

using Task = std::function<void(const Run&)>;

// What layers are prepared with once there is a GPU and its memory is allocated: here they make the
// objects of cuDNN and cuBLASLt that their tasks use.
struct Preparation {
  cudaStream_t stream;
  std::byte* arena;
  const MemoryPlan& plan;
  bool tf32;
  std::string gpu;                     // for caches: what measurements are valid for
  std::uint64_t workspace_limit;       // bytes
  std::uint64_t workspace_needed = 0;  // raised by layers
  CudnnHandle cudnn = {};              // made by the first layer that needs it
  MatrixHandle matrices = {};

  void* at(MemoryPlan::Id id) const { return arena + plan.offset(id); }
};

using Prepare = std::function<void(Preparation&)>;

// Everything about a program that needs no GPU: its tasks, and where its memory lies.
struct ProgramPlan {
  MemoryPlan memory;
  std::uint64_t scratch_bytes = 0;  // what single layers need while they compute
  std::vector<Prepare> prepares;
  std::vector<std::vector<Task>> forward;   // per segment
  std::vector<std::vector<Task>> backward;  // likewise
  Obstacles forward_obstacles;              // likewise: to replaying them as a graph
  Obstacles backward_obstacles;
  std::uint64_t loss_segment = 0;
  bool accuracy = false;
  bool inference = false;
  std::uint32_t classes = 0;  // 0: the loss needs no labels
  std::uint32_t batch = 0;
};

// Throws with the reason when CUDA devices cannot compute the graph. Needs no GPU.
ProgramPlan plan_program(const convoy_compilation& what);

// One replica's layers on a GPU, over one arena. FORWARD of all segments in order, then BACKWARD in
// reverse, makes a step.
class Program {
 public:
  Program(ProgramPlan plan, Preparation preparation, DeviceMemory arena, GraphMode graphs);

  void run(const convoy_submission& submission, cudaStream_t stream, PinnedSlots::Slot* slot);
  void tell_loss(const convoy_compute& compute, const LossResult& result) const;
  // What to tell the user about replaying; empty when it is off.
  std::string replay_remark() const;
  convoy_program_memory memory() const { return {plan_.memory.bytes(), scratch_bytes_}; }

 private:
  void check_labels(const convoy_compute& compute) const;

  ProgramPlan plan_;
  DeviceMemory arena_;
  std::uint64_t scratch_bytes_ = 0;
  DeviceMemory scratch_;
  std::unique_ptr<ReplayedSegments> replayed_;  // null: nothing is replayed
};

// On the calling thread's GPU. Throws when the batch does not fit into its memory.
std::unique_ptr<Program> compile_program(const convoy_compilation& what, bool tf32,
                                         GraphMode graphs, cudaStream_t stream);

void run_program(const convoy_submission& submission, cudaStream_t stream, PinnedSlots::Slot* slot);
// Brings what a forward operation left in its slot to where the host wants it.
void tell_loss(const convoy_submission& submission, const LossResult& result);

}  // namespace convoy::cuda
