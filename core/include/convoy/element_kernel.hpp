#pragma once

// Kernels that treat every element in the same way: one text is both the host function and the CUDA
// source.

#include <convoy/kernel.hpp>

#include <math.h>

#include <cstdint>
#include <string>

namespace convoy::detail {

// CUDA source that runs `body` for every element of write 0.
inline CudaCode element_code(const std::string& body) {
  CudaCode code;
  code.source =
      "#include <convoy/cuda_kernel.hpp>\n"
      "static __device__ void element(const convoy::CudaCall& call, unsigned long long i)\n" +
      body +
      "\nextern \"C\" __global__ void convoy_elements(const convoy_cuda_call argument) {\n"
      "  const convoy::CudaCall call(argument);\n"
      "  const unsigned long long threads = 1ull * gridDim.x * blockDim.x;\n"
      "  unsigned long long i = 1ull * blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  for (; i < call.write_span(0).count; i += threads) element(call, i);\n"
      "}\n";
  code.entry = "convoy_elements";
  return code;
}

}  // namespace convoy::detail

// Defines a Kernel, `Class`, with a form for CPUs and one for GPUs. The last argument is a function
// body in braces that computes element `i` of the writes:
//
//   CONVOY_ELEMENT_KERNEL(Halve, { call.write(0)[i] = 0.5f * call.read(0)[i]; })
//
// It runs once for every element of write 0, in any order. It may use read(k), write(k), size(k),
// scalar(), step() and learning_rate() of `call`, and the functions of <math.h>. On a GPU it is
// compiled alone: it sees no constant, type or function of the plug-in; such values come as scalar
// and sizes of the call (CallOptions). It has no preprocessor directives.
#define CONVOY_ELEMENT_KERNEL(Class, ...)                                              \
  class Class : public ::convoy::Kernel {                                              \
   public:                                                                             \
    void run(const ::convoy::KernelCall& call) const override {                        \
      for (std::uint64_t i = 0; i < call.writes()[0].count; ++i) element(call, i);     \
    }                                                                                  \
    ::convoy::CudaCode cuda() const override {                                         \
      return ::convoy::detail::element_code(#__VA_ARGS__);                             \
    }                                                                                  \
                                                                                       \
   private:                                                                            \
    static void element(const ::convoy::KernelCall& call, std::uint64_t i) __VA_ARGS__ \
  };
