#pragma once

// Kernels of a strategy that get data about the run, and the function with which a device calls any
// kernel.

#include <convoy/abi.h>
#include <convoy/options.hpp>
#include <convoy/sized.hpp>

#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>

namespace convoy {

// The arguments of a kernel; valid during the call.
class KernelCall {
 public:
  explicit KernelCall(const convoy_kernel_call& call)
      : call_(read_sized(call, "convoy_kernel_call", Side::kPlugin)) {}

  // The step, counted from 0 over all training, and its learning rate, as for Planner::apply();
  // both are 0 in a prologue.
  std::uint64_t step() const { return call_.step; }
  double learning_rate() const { return call_.learning_rate; }
  // CallOptions::scalar and sizes.
  double scalar() const { return call_.scalar; }
  std::uint64_t size(std::size_t index) const { return call_.sizes[index]; }
  // The call's spans, in its order.
  std::span<const convoy_region> reads() const { return {call_.reads, call_.read_count}; }
  std::span<const convoy_region> writes() const { return {call_.writes, call_.write_count}; }
  // One of these spans; its type must be kF32.
  std::span<const float> read(std::size_t index) const { return floats(reads()[index]); }
  std::span<float> write(std::size_t index) const { return floats(writes()[index]); }

 private:
  static std::span<float> floats(const convoy_region& region) {
    return {static_cast<float*>(region.data), region.count};
  }

  convoy_kernel_call call_;
};

// A kernel in the form for NVIDIA GPUs: either CUDA C++ or PTX, with a function
//   extern "C" __global__ void entry(const convoy_cuda_call call)
// See convoy_kernel_form in convoy/abi/strategy.h, and convoy/cuda_kernel.hpp for the members of
// `call`.
struct CudaCode {
  std::string source;
  std::string ptx;
  std::string entry;          // empty: the kernel's name
  std::uint32_t threads = 0;  // per block; 0: 256
  std::uint32_t blocks = 0;   // 0: enough for a thread per element of write 0, at most 1024 blocks
};

// A strategy's own kernel, made once for each name (Strategy::kernel). It may compute members from
// the options when it is made, but they must not change later, because several threads call it at a
// time. State that changes from step to step belongs in a persistent buffer that the call reads and
// writes; then checkpoints contain it.
class Kernel {
 public:
  virtual ~Kernel() = default;
  // Whatever it throws fails the operation.
  virtual void run(const KernelCall& call) const = 0;
  // The form for GPUs, which computes the same. Without it the strategy runs on CPU devices only.
  virtual CudaCode cuda() const { return {}; }
};

// Runs the kernel of a CALL, as devices do; non-zero: it failed. Throws std::invalid_argument when
// the submission has no kernel.
inline std::int32_t run_kernel(const convoy_submission& it) {
  if (it.kernel == nullptr && it.host_kernel == nullptr)
    throw std::invalid_argument("call without a host kernel");
  if (it.kernel == nullptr)
    return it.host_kernel(it.reads, it.read_count, it.writes, it.write_count);
  auto call = make_sized<convoy_kernel_call>();
  call.state = it.kernel_state;
  call.step = it.step;
  call.learning_rate = it.learning_rate;
  call.scalar = it.scalar;
  if (it.sizes != nullptr) std::memcpy(call.sizes, it.sizes, sizeof(call.sizes));
  call.reads = it.reads;
  call.read_count = it.read_count;
  call.writes = it.writes;
  call.write_count = it.write_count;
  return it.kernel(&call);
}

}  // namespace convoy
