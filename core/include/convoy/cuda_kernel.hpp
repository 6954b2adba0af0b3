// For kernels of a strategy in CUDA C++ (see CONVOY_KERNEL_CUDA_SOURCE in convoy/abi/strategy.h):
// wraps a convoy_cuda_call in the functions that convoy::KernelCall has on a host. It needs no
// other header, so that NVRTC can compile it.
#ifndef CONVOY_CUDA_KERNEL_HPP
#define CONVOY_CUDA_KERNEL_HPP

#include <convoy/abi/cuda_call.h>

namespace convoy {

class CudaCall {
 public:
  class Floats {
   public:
    __device__ Floats(const convoy_cuda_span& span)
        : data_(static_cast<float*>(span.data)), count_(span.count) {}
    __device__ float& operator[](unsigned long long i) const { return data_[i]; }
    __device__ float* data() const { return data_; }
    __device__ unsigned long long size() const { return count_; }

   private:
    float* data_;
    unsigned long long count_;
  };

  // `call` must outlive this object.
  __device__ explicit CudaCall(const convoy_cuda_call& call) : call_(call) {}

  __device__ unsigned long long step() const { return call_.step; }
  __device__ double learning_rate() const { return call_.learning_rate; }
  __device__ double scalar() const { return call_.scalar; }
  __device__ unsigned long long size(unsigned i) const { return call_.sizes[i]; }
  __device__ unsigned long long read_count() const { return call_.read_count; }
  __device__ unsigned long long write_count() const { return call_.write_count; }
  // Spans of f32; for other types use read_span(i).data.
  __device__ Floats read(unsigned i) const { return read_span(i); }
  __device__ Floats write(unsigned i) const { return write_span(i); }
  __device__ const convoy_cuda_span& read_span(unsigned i) const { return call_.spans[i]; }
  __device__ const convoy_cuda_span& write_span(unsigned i) const {
    return call_.spans[call_.read_count + i];
  }

 private:
  const convoy_cuda_call& call_;
};

}  // namespace convoy

#endif
