#include "plugins/devices/cuda/programs/program.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <stdexcept>

#include "plugins/devices/cuda/gpu/gpu_description.hpp"
#include "plugins/devices/cuda/gpu/named_range.hpp"
#include "plugins/devices/cuda/graphs/operation_signature.hpp"
#include "plugins/devices/cuda/programs/batch_fit.hpp"
#include "plugins/devices/cuda/programs/input_buffers.hpp"
#include "plugins/devices/cuda/programs/pinned_labels.hpp"
#include "plugins/devices/cuda/programs/program_profile.hpp"
#include "plugins/devices/cuda/status.hpp"

namespace convoy::cuda {
namespace {

// Free memory that is not used, for code that is loaded at first use and other needs.
constexpr std::uint64_t kReserve = std::uint64_t{256} << 20;

std::uint64_t free_memory() {
  const std::uint64_t available = free_gpu_memory();
  return available > kReserve ? available - kReserve : 0;
}

void require_fit(const convoy_compilation& what, const MemoryOffer& offer) {
  const std::string problem = batch_problem(
      [&](std::uint32_t batch) {
        convoy_compilation smaller = what;
        smaller.batch = batch;
        const ProgramPlan plan = plan_program(smaller);
        return plan.memory.bytes() + 2 * plan.batch_bytes() + plan.scratch_bytes +
               workspace_limit(offer.available / offer.programs);
      },
      what.batch, offer);
  if (!problem.empty()) throw std::runtime_error(problem);
}

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
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
                 const Streams& streams)
    : plan_(std::move(plan)),
      arena_(std::move(arena)),
      batches_(2 * plan_.batch_bytes()),
      input_stream_(streams.input),
      number_(next_number()) {
  if (plan_.profiled) profile_ = std::make_unique<ProgramProfile>(*streams.driver, plan_);
  auto* first = static_cast<std::byte*>(batches_.get());
  input_ = std::make_unique<InputBuffers>(*streams.driver,
                                          std::array<void*, 2>{first, first + plan_.batch_bytes()});
  if (plan_.classes > 0)
    labels_ =
        std::make_unique<PinnedLabels>(*streams.driver, plan_.batch, pinned_labels(plan_.batch));
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
    if (label == -1) continue;  // the image does not count
    if (label >= 0 && static_cast<std::uint32_t>(label) < plan_.classes) continue;
    throw std::runtime_error("label " + std::to_string(label) + " is outside the " +
                             std::to_string(plan_.classes) + " classes");
  }
}

bool Program::takes_batch(const convoy_submission& submission) const {
  return submission.kind == CONVOY_OP_FORWARD && submission.compute->segment == plan_.input_segment;
}

void Program::copy_batch(void* to, const convoy_compute& compute) const {
  require(cudaMemcpyAsync(to, compute.images, plan_.image_bytes, cudaMemcpyDefault, input_stream_),
          "copying images to the GPU");
  if (labels_ == nullptr) return;
  require(cudaMemcpyAsync(static_cast<std::byte*>(to) + plan_.label_offset(),
                          labels_->hold(compute.labels), plan_.batch * sizeof(std::int32_t),
                          cudaMemcpyDefault, input_stream_),
          "copying labels to the GPU");
  labels_->copied();
}

void Program::bring_batch(const convoy_submission& submission) {
  if (!takes_batch(submission) || brought_) return;
  const convoy_compute& compute = *submission.compute;
  if (plan_.classes > 0) check_labels(compute);
  const void* batch = input_->bring([&](void* to) { copy_batch(to, compute); }, submission.lane);
  batch_ = static_cast<std::byte*>(const_cast<void*>(batch));
  brought_ = true;
}

void Program::release_batch(const convoy_submission& submission) {
  if (!takes_batch(submission) || !brought_) return;
  input_->release(submission.lane);
  brought_ = false;
}

bool Program::has_run(const convoy_submission& submission) const {
  return ran_.contains({submission.kind == CONVOY_OP_FORWARD, submission.compute->segment});
}

bool Program::describe(const convoy_submission& submission, Signature& signature) const {
  const convoy_compute& compute = *submission.compute;
  signature.insert(signature.end(),
                   {number_, compute.segment, word_of(compute.parameters),
                    word_of(compute.gradients), word_of(compute.state), word_of(compute.loss_scale),
                    takes_batch(submission) ? word_of(batch_) : 0u});
  return has_run(submission);
}

void Program::run(const convoy_submission& submission, cudaStream_t stream, PinnedSlots::Slot* slot,
                  const StepValues* values) {
  const convoy_compute& compute = *submission.compute;
  const bool forward = submission.kind == CONVOY_OP_FORWARD;
  if (plan_.inference && !forward)
    throw std::invalid_argument("the program was compiled for inference: it has no backward pass");
  const auto& segments = forward ? plan_.forward : plan_.backward;
  if (compute.segment >= segments.size()) throw std::invalid_argument("no such segment");
  const bool brings = takes_batch(submission) && !brought_;
  if (brings) bring_batch(submission);
  DeviceBatch batch;
  if (takes_batch(submission))
    batch = {reinterpret_cast<const float*>(batch_),
             reinterpret_cast<const std::int32_t*>(batch_ + plan_.label_offset())};
  const Run run{.compute = compute,
                .step = submission.step,
                .values = values,
                .stream = stream,
                .arena = static_cast<std::byte*>(arena_.get()),
                .plan = plan_.memory,
                .scratch = scratch_.get(),
                .result = &slot->loss,
                .batch = batch,
                .lane = submission.lane};
  queue(segments[compute.segment], run);
  if (brings) release_batch(submission);
  ran_.emplace(forward, compute.segment);
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
  // Kept while the layers are prepared, because the plan itself moves into the program.
  const MemoryPlan memory = plan.memory;
  Preparation preparation{.stream = streams.compute,
                          .arena = static_cast<std::byte*>(arena.get()),
                          .plan = memory,
                          .tf32 = settings.tf32,
                          .gpu = gpu_name(),
                          .workspace_limit = workspace_limit(available / settings.programs)};
  return std::make_unique<Program>(std::move(plan), std::move(preparation), std::move(arena),
                                   streams);
}

Program& program_of(const convoy_submission& submission) {
  if (submission.compute == nullptr || submission.compute->program == nullptr)
    throw std::invalid_argument("a forward or backward operation came without its program");
  return *static_cast<Program*>(submission.compute->program);
}

}  // namespace convoy::cuda
