#include "plugins/devices/cpu/programs/program.hpp"

#include <stdexcept>

namespace convoy::cpu {

Program::Program() : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_), workspace_(engine_) {}

void Program::bind(External which, const float* base) {
  Bindings& bindings = external_[static_cast<std::size_t>(which)];
  if (base == nullptr || bindings.base == base) return;
  for (Binding& binding : bindings.items) {
    binding.memory.set_data_handle(const_cast<float*>(base + binding.first));
  }
  bindings.base = base;
}

void Program::run(const convoy_submission& submission) {
  const convoy_compute& compute = *submission.compute;
  const bool forward = submission.kind == CONVOY_OP_FORWARD;
  if (inference_ && !forward) {
    throw std::invalid_argument("the program was compiled for inference: it has no backward pass");
  }
  const std::vector<TaskList>& segments = forward ? forward_ : backward_;
  if (compute.segment >= segments.size()) throw std::invalid_argument("no such segment");
  bind(External::kParameters, compute.parameters);
  bind(External::kGradients, compute.gradients);
  bind(External::kImages, compute.images);
  const TaskContext context{compute, submission.step, stream_.get()};
  for (const Task& task : segments[compute.segment]) task(context);
}

void run_program(const convoy_submission& submission) {
  if (submission.compute == nullptr || submission.compute->program == nullptr) {
    throw std::invalid_argument("a forward or backward operation came without its program");
  }
  static_cast<Program*>(submission.compute->program)->run(submission);
}

}  // namespace convoy::cpu
