#pragma once

#include <convoy/abi.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plugins/devices/cuda/gpu/device_memory.hpp"
#include "plugins/devices/cuda/graphs/run_work.hpp"
#include "plugins/devices/cuda/kernels/step_values.hpp"
#include "plugins/devices/cuda/lanes/pinned_slots.hpp"
#include "plugins/devices/cuda/libraries/cudnn_library.hpp"
#include "plugins/devices/cuda/libraries/matrix_product.hpp"
#include "plugins/devices/cuda/programs/memory_plan.hpp"

namespace convoy::cuda {

class InputBuffers;
class PinnedLabels;
class ProgramProfile;
class StreamDriver;

// A batch in device memory.
struct DeviceBatch {
  const float* images = nullptr;
  const std::int32_t* labels = nullptr;
};

// The arguments of tasks.
struct Run {
  const convoy_compute& compute;
  std::uint64_t step;
  const StepValues* values;  // device memory; null: `step` is used
  cudaStream_t stream;
  std::byte* arena;
  const MemoryPlan& plan;
  void* scratch;
  LossResult* result;
  DeviceBatch batch;  // for the segment with the input
  std::uint32_t lane;

  void* at(MemoryPlan::Id id) const { return arena + plan.offset(id); }
  float* floats_at(MemoryPlan::Id id) const { return static_cast<float*>(at(id)); }
  // The parameters and gradients from this element of the arena on.
  const float* parameter(std::uint64_t first) const { return compute.parameters + first; }
  float* gradient(std::uint64_t first) const { return compute.gradients + first; }
};

using Task = std::function<void(const Run&)>;

// The layer, pass and role to which a task's time is charged.
struct TaskLabel {
  std::uint32_t node = 0;
  convoy_pass pass = CONVOY_PASS_FORWARD;
  convoy_profile_role role = CONVOY_PROFILE_KERNEL;
  const char* implementation = "";  // a literal
};

struct PlannedTask {
  Task run;
  TaskLabel label;
  std::string name;  // name of the layer and the pass, for profilers
};

using TaskList = std::vector<PlannedTask>;

// The arguments of preparing layers, once there is a GPU and its memory is allocated. Layers then
// make the objects of cuDNN and cuBLASLt that their tasks use.
struct Preparation {
  cudaStream_t stream;
  std::byte* arena;
  const MemoryPlan& plan;
  bool tf32;
  std::string gpu;                     // for caches: measurements are valid for this GPU
  std::uint64_t workspace_limit;       // bytes
  std::uint64_t workspace_needed = 0;  // raised by layers
  CudnnHandle cudnn = {};              // made by the first layer that needs it
  MatrixHandle matrices = {};

  void* at(MemoryPlan::Id id) const { return arena + plan.offset(id); }
};

using Prepare = std::function<void(Preparation&)>;

// The part of a program that needs no GPU: its tasks, and the places of its memory.
struct ProgramPlan {
  MemoryPlan memory;
  std::uint64_t scratch_bytes = 0;  // the most that a single layer needs while it computes
  std::uint64_t image_bytes = 0;    // of one batch
  std::uint64_t input_segment = 0;  // the segment that gets batches
  std::vector<Prepare> prepares;
  std::vector<TaskList> forward;   // per segment
  std::vector<TaskList> backward;  // per segment
  std::uint64_t loss_segment = 0;
  bool accuracy = false;
  bool inference = false;
  bool profiled = false;
  std::uint32_t classes = 0;  // 0: the loss needs no labels
  std::uint32_t batch = 0;

  // The offset of labels behind a batch's images, and the bytes of both. There is room for two
  // batches.
  std::uint64_t label_offset() const { return (image_bytes + 255) / 256 * 256; }
  std::uint64_t batch_bytes() const { return label_offset() + batch * sizeof(std::int32_t); }
};

// Throws with the reason when CUDA devices cannot compute the graph. Needs no GPU.
ProgramPlan plan_program(const convoy_compilation& what);

// Streams of the device that a program runs on.
struct Streams {
  StreamDriver* driver;
  cudaStream_t compute;
  cudaStream_t input;
};

// One replica's layers on a GPU, over one arena. A step is FORWARD of all segments in order, then
// BACKWARD in reverse.
class Program {
 public:
  Program(ProgramPlan plan, Preparation preparation, DeviceMemory arena, const Streams& streams);
  ~Program();

  // bring_batch queues the copy of an operation's batch on the input stream and makes its lane wait
  // for it. release_batch says that all work that reads the batch is queued on that lane. run()
  // does both if the caller has not. They do nothing for operations without a batch.
  void bring_batch(const convoy_submission& submission);
  void release_batch(const convoy_submission& submission);
  // values: see Run.
  void run(const convoy_submission& submission, cudaStream_t stream, PinnedSlots::Slot* slot,
           const StepValues* values);
  // Whether run() was called for its segment and pass.
  bool has_run(const convoy_submission& submission) const;
  // Appends everything that the operation's work holds by value. Returns false if it has not run
  // yet.
  bool describe(const convoy_submission& submission, Signature& signature) const;
  // Call it when the device has done what run() queued: reports its result and its times.
  void finish(const convoy_submission& submission, const LossResult& result);
  // Null unless it was compiled with CONVOY_COMPILE_PROFILE.
  ProgramProfile* profile() const { return profile_.get(); }
  convoy_program_memory memory() const {
    return {sizeof(convoy_program_memory), plan_.memory.bytes() + 2 * plan_.batch_bytes(),
            scratch_bytes_};
  }

 private:
  bool takes_batch(const convoy_submission& submission) const;
  void check_labels(const convoy_compute& compute) const;
  void copy_batch(void* to, const convoy_compute& compute) const;
  void queue(const TaskList& tasks, const Run& run);

  ProgramPlan plan_;
  std::unique_ptr<ProgramProfile> profile_;
  DeviceMemory arena_;
  std::uint64_t scratch_bytes_ = 0;
  DeviceMemory scratch_;
  DeviceMemory batches_;
  cudaStream_t input_stream_;
  std::unique_ptr<InputBuffers> input_;
  std::unique_ptr<PinnedLabels> labels_;          // null: the loss needs none
  std::byte* batch_ = nullptr;                    // the latest batch
  bool brought_ = false;                          // a batch was brought and not released
  std::uint64_t number_;                          // unique among the programs of the process
  std::set<std::pair<bool, std::uint64_t>> ran_;  // forward or not, and the segment
};

struct CompileSettings {
  bool tf32 = false;
  std::uint64_t held = 0;      // bytes of the plan on this GPU, for messages
  std::uint32_t programs = 1;  // programs that share the GPU's free memory: see MemoryOffer
};

// Compiles for the calling thread's GPU. Throws when the batch does not fit its memory.
std::unique_ptr<Program> compile_program(const convoy_compilation& what,
                                         const CompileSettings& settings, const Streams& streams);

// Returns the program of a forward or backward operation; throws if it has none.
Program& program_of(const convoy_submission& submission);

}  // namespace convoy::cuda
