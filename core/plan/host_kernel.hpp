#pragma once

#include <convoy/kernel.hpp>

namespace convoy {

// The host form of a strategy's kernel, with or without a context; false: there is none.
class HostKernel {
 public:
  HostKernel() = default;
  HostKernel(convoy_host_kernel function) : function_(function) {}
  explicit HostKernel(const convoy_kernel& kernel)
      : function_(kernel.function), run_(kernel.run), state_(kernel.state) {}

  explicit operator bool() const { return function_ != nullptr || run_ != nullptr; }

  // What a device finds in a submission of it.
  void enter(convoy_submission& submission) const {
    submission.host_kernel = run_ == nullptr ? function_ : nullptr;
    submission.kernel = run_;
    submission.kernel_state = state_;
  }

 private:
  convoy_host_kernel function_ = nullptr;
  convoy_kernel_function run_ = nullptr;
  void* state_ = nullptr;
};

}  // namespace convoy
