#pragma once

#include <convoy/kernel.hpp>

#include <cstdint>
#include <span>

#include "core/plan/operation.hpp"

namespace convoy::plan {

// The host form of a strategy's kernel, with or without a context; converts to false if there is
// none.
class HostKernel {
 public:
  HostKernel() = default;
  HostKernel(convoy_host_kernel function) : function_(function) {}
  explicit HostKernel(const convoy_kernel& kernel)
      : function_(kernel.function), run_(kernel.run), state_(kernel.state) {}

  explicit operator bool() const { return function_ != nullptr || run_ != nullptr; }

  // Fills the kernel's fields of a submission.
  void enter(convoy_submission& submission) const {
    submission.host_kernel = run_ == nullptr ? function_ : nullptr;
    submission.kernel = run_;
    submission.kernel_state = state_;
  }

  // Runs the kernel for this CALL operation on the memory of its spans. Returns non-zero if it
  // failed.
  std::int32_t call(const Operation& operation, std::span<const convoy_region> reads,
                    std::span<const convoy_region> writes, std::uint64_t step,
                    double learning_rate) const {
    auto submission = make_sized<convoy_submission>();
    submission.step = step;
    submission.learning_rate = learning_rate;
    submission.scalar = operation.scalar;
    submission.sizes = operation.details->sizes;
    submission.reads = reads.data();
    submission.read_count = reads.size();
    submission.writes = writes.data();
    submission.write_count = writes.size();
    enter(submission);
    return run_kernel(submission);
  }

 private:
  convoy_host_kernel function_ = nullptr;
  convoy_kernel_function run_ = nullptr;
  void* state_ = nullptr;
};

}  // namespace convoy::plan
