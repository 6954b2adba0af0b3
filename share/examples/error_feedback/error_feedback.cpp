// error_feedback: a strategy written outside of convoy, with an option, memory that survives steps
// and a kernel of its own, for CPU devices and for GPUs.

#include <convoy/strategy.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>

namespace {

// Rounds gradient + error to multiples of one unit per call. The largest value has size(0) units.
// The rounding error is kept for the next step.
class Quantise : public convoy::Kernel {
 public:
  void run(const convoy::KernelCall& call) const override {
    const auto gradient = call.read(0), error = call.read(1);
    float largest = 0;
    for (std::size_t i = 0; i < gradient.size(); ++i)
      largest = std::max(largest, std::fabs(gradient[i] + error[i]));
    const float unit = largest / static_cast<float>(call.size(0));
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      const float wanted = gradient[i] + error[i];
      const float rounded = unit > 0 ? std::round(wanted / unit) * unit : 0.0f;
      call.write(0)[i] = rounded;
      call.write(1)[i] = wanted - rounded;
    }
  }

  // The same with the threads of one block, which find the largest value together.
  convoy::CudaCode cuda() const override {
    convoy::CudaCode code;
    code.source = R"(
      #include <convoy/cuda_kernel.hpp>
      extern "C" __global__ void quantise(const convoy_cuda_call argument) {
        const convoy::CudaCall call(argument);
        const auto gradient = call.read(0), error = call.read(1);
        __shared__ float largest[256];
        float own = 0;
        for (unsigned long long i = threadIdx.x; i < gradient.size(); i += blockDim.x)
          own = fmaxf(own, fabsf(gradient[i] + error[i]));
        largest[threadIdx.x] = own;
        __syncthreads();
        for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
          if (threadIdx.x < half)
            largest[threadIdx.x] = fmaxf(largest[threadIdx.x], largest[threadIdx.x + half]);
          __syncthreads();
        }
        const float unit = largest[0] / static_cast<float>(call.size(0));
        for (unsigned long long i = threadIdx.x; i < gradient.size(); i += blockDim.x) {
          const float wanted = gradient[i] + error[i];
          const float rounded = unit > 0 ? roundf(wanted / unit) * unit : 0.0f;
          call.write(0)[i] = rounded;
          call.write(1)[i] = wanted - rounded;
        }
      })";
    code.threads = 256;
    code.blocks = 1;
    return code;
  }
};

// Like replicated training, but every replica rounds its gradients before they are summed and adds
// the rounding error to the gradients of its next step.
class ErrorFeedback : public convoy::Strategy {
 public:
  void plan(convoy::Planner& p) override {
    const std::uint64_t levels = (std::uint64_t{1} << (p.integer("bits") - 1)) - 1;
    p.compute();
    for (const convoy::Range range : p.buckets()) {
      for (const auto r : p.replicas()) {
        const convoy::Span gradient = p.gradient(r)[range];
        const convoy::Buffer error = p.persistent(p.replica_place(r), range.count);
        convoy::CallOptions how;
        how.bytes = 24 * range.count;  // both forms read their inputs twice
        how.flops = 6 * range.count;
        how.sizes = {levels, 0, 0, 0};
        p.call("quantise", p.replica_place(r), {gradient, error}, {gradient, error}, how);
      }
      p.all_reduce(p.all_gradients(range));
      for (const auto r : p.replicas()) p.apply(p.parameters(r)[range], p.gradient(r)[range]);
    }
  }

  std::unique_ptr<convoy::Kernel> kernel(const std::string& name, const convoy::Options&) override {
    return name == "quantise" ? std::make_unique<Quantise>() : nullptr;
  }
};

}  // namespace

CONVOY_STRATEGY(ErrorFeedback, "name=error_feedback", "version=0.3.0",
                "description=Replicas exchange rounded gradients and carry the error over.",
                "claim=approximate", "option=bits:enum:8:4|8|16:Bits per gradient.",
                "needs=forward,backward,call,all_reduce,apply")
