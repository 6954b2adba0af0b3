#include "plugins/devices/cuda/program.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "plugins/devices/cuda/batch_fit.hpp"
#include "plugins/devices/cuda/gpu_description.hpp"
#include "plugins/devices/cuda/input_buffers.hpp"
#include "plugins/devices/cuda/named_range.hpp"
#include "plugins/devices/cuda/program_profile.hpp"
#include "plugins/devices/cuda/status.hpp"

namespace convoy::cuda {
namespace {

// What convolutions may use besides activations; the fastest algorithms rarely want more.
constexpr std::uint64_t kMostWorkspace = std::uint64_t{1} << 30;

// Of the free memory that stays free: code that is loaded when it is first used, and the like.
constexpr std::uint64_t kReserve = std::uint64_t{256} << 20;

Program& program_of(const convoy_submission& submission) {
  if (submission.compute == nullptr || submission.compute->program == nullptr)
    throw std::invalid_argument("a forward or backward operation came without its program");
  return *static_cast<Program*>(submission.compute->program);
}

std::uint64_t free_memory() {
  const std::uint64_t available = free_gpu_memory();
  return available > kReserve ? available - kReserve : 0;
}

std::uint64_t workspace_limit(std::uint64_t available) {
  return std::min(kMostWorkspace, available / 8);
}

void require_fit(const convoy_compilation& what, const MemoryOffer& offer) {
  const std::string problem = batch_problem(
      [&](std::uint32_t batch) {
        convoy_compilation smaller = what;
        smaller.batch = batch;
        const ProgramPlan plan = plan_program(smaller);
        return plan.memory.bytes() + 2 * plan.input_bytes + plan.scratch_bytes +
               workspace_limit(offer.available / offer.programs);
      },
      what.batch, offer);
  if (!problem.empty()) throw std::runtime_error(problem);
}

std::string gpu_name() {
  int gpu = 0;
  require(cudaGetDevice(&gpu), "asking for the GPU");
  cudaDeviceProp properties{};
  require(cudaGetDeviceProperties(&properties, gpu), "asking for the GPU's properties");
  return properties.name;
}

}  // namespace

Program::Program(ProgramPlan plan, Preparation preparation, DeviceMemory arena,
                 const Streams& streams, GraphMode graphs)
    : plan_(std::move(plan)),
      arena_(std::move(arena)),
      images_(2 * plan_.input_bytes),
      graphs_(graphs) {
  if (graphs_ == GraphMode::kOn && !plan_.profiled)
    replayed_ = std::make_unique<ReplayedSegments>(cuda_graphs());
  if (plan_.profiled) profile_ = std::make_unique<ProgramProfile>(*streams.driver, plan_);
  auto* first = static_cast<std::byte*>(images_.get());
  input_ = std::make_unique<InputBuffers>(
      *streams.driver, std::array<void*, 2>{first, first + plan_.input_bytes},
      [bytes = plan_.input_bytes, stream = streams.input](void* to, const void* from) {
        require(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream),
                "copying images to the GPU");
      });
  for (const Prepare& prepare : plan_.prepares) prepare(preparation);
  plan_.prepares.clear();
  scratch_bytes_ = std::max(plan_.scratch_bytes, preparation.workspace_needed);
  scratch_ = DeviceMemory(scratch_bytes_);
  require(cudaStreamSynchronize(preparation.stream), "preparing the layers");
}

Program::~Program() = default;

void Program::check_labels(const convoy_compute& compute) const {
  for (std::uint32_t image = 0; image < plan_.batch; ++image) {
    const std::int32_t label = compute.labels[image];
    if (label >= 0 && static_cast<std::uint32_t>(label) < plan_.classes) continue;
    throw std::runtime_error("label " + std::to_string(label) + " is outside the " +
                             std::to_string(plan_.classes) + " classes");
  }
}

void Program::run(const convoy_submission& submission, cudaStream_t stream,
                  PinnedSlots::Slot* slot) {
  const convoy_compute& compute = *submission.compute;
  const bool forward = submission.kind == CONVOY_OP_FORWARD;
  if (plan_.inference && !forward)
    throw std::invalid_argument("the program was compiled for inference: it has no backward pass");
  const auto& segments = forward ? plan_.forward : plan_.backward;
  if (compute.segment >= segments.size()) throw std::invalid_argument("no such segment");
  if (forward && compute.segment == plan_.loss_segment && plan_.classes > 0) check_labels(compute);
  const Run run{compute,        submission.step, stream,      static_cast<std::byte*>(arena_.get()),
                plan_.memory,   scratch_.get(),  &slot->loss, input_.get(),
                submission.lane};
  const TaskList& tasks = segments[compute.segment];
  const Obstacles& obstacles = forward ? plan_.forward_obstacles : plan_.backward_obstacles;
  if (replayed_ == nullptr || !obstacles[compute.segment].empty()) return queue(tasks, run);
  replayed_->run({forward, compute.segment},
                 {compute.parameters, compute.gradients, compute.state, compute.loss_scale}, stream,
                 [&] { queue(tasks, run); });
}

void Program::queue(const TaskList& tasks, const Run& run) {
  if (profile_) profile_->begin(tasks, run.lane);
  for (const PlannedTask& task : tasks) {
    const NamedRange range(task.name.c_str());
    task.run(run);
    if (profile_) profile_->mark(run.lane);
  }
  if (profile_) profile_->end();
  require(cudaGetLastError(), "starting the kernels of a layer");
}

std::string Program::replay_remark() const {
  if (graphs_ == GraphMode::kOff) return {};
  if (replayed_ == nullptr) return "CUDA graphs are off: --profile looks between the layers";
  return cuda::replay_remark(plan_.forward_obstacles, plan_.backward_obstacles);
}

void Program::finish(const convoy_submission& submission, const LossResult& result) {
  if (profile_) profile_->finish();
  if (submission.kind != CONVOY_OP_FORWARD) return;
  const convoy_compute& compute = *submission.compute;
  if (compute.segment != plan_.loss_segment) return;
  if (compute.loss != nullptr) *compute.loss = result.loss;
  if (plan_.accuracy && compute.hits != nullptr) std::copy_n(result.hits, 2, compute.hits);
}

std::unique_ptr<Program> compile_program(const convoy_compilation& what,
                                         const CompileSettings& settings, const Streams& streams) {
  const std::uint64_t available = free_memory();
  require_fit(what, {available, settings.held, settings.programs});
  ProgramPlan plan = plan_program(what);
  DeviceMemory arena(plan.memory.bytes());
  // Stays while the layers are prepared; the plan itself moves into the program.
  const MemoryPlan memory = plan.memory;
  Preparation preparation{.stream = streams.compute,
                          .arena = static_cast<std::byte*>(arena.get()),
                          .plan = memory,
                          .tf32 = settings.tf32,
                          .gpu = gpu_name(),
                          .workspace_limit = workspace_limit(available / settings.programs)};
  return std::make_unique<Program>(std::move(plan), std::move(preparation), std::move(arena),
                                   streams, settings.graphs);
}

void run_program(const convoy_submission& submission, cudaStream_t stream,
                 PinnedSlots::Slot* slot) {
  program_of(submission).run(submission, stream, slot);
}

void finish_program(const convoy_submission& submission, const PinnedSlots::Slot& slot) {
  program_of(submission).finish(submission, slot.loss);
}

}  // namespace convoy::cuda
