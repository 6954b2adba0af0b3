// Strategies with kernels of their own on CUDA devices: CUDA source beside the host function.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <convoy/strategy.hpp>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "core/base/error.hpp"
#include "core/runtime/device_kernels.hpp"
#include "core/runtime/trial/device_trial.hpp"
#include "core/train/optimizer.hpp"
#include "tests/devices/cuda/cuda_training.hpp"
#include "tests/plan/sample_plans.hpp"
#include "tests/runtime/lagging_strategy.hpp"
#include "tests/runtime/plugins.hpp"
#include "tests/runtime/small_models.hpp"
#include "tests/runtime/training.hpp"

namespace convoy::testing::own_kernels_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// With a scalar of 4 the gradient itself, from the fourth step on its half.
CONVOY_ELEMENT_KERNEL(Shrink, {
  const float factor = call.step() < 3 ? 0.25f : 0.125f;
  call.write(0)[i] = static_cast<float>(call.scalar()) * factor * call.read(0)[i];
})

// Divides by the largest magnitude: threads of one block wait for each other.
class Normalise : public Kernel {
 public:
  void run(const KernelCall& call) const override {
    float largest = 0;
    for (const float value : call.read(0)) largest = std::max(largest, std::fabs(value));
    for (std::size_t i = 0; i < call.read(0).size(); ++i)
      call.write(0)[i] = largest > 0 ? call.read(0)[i] / largest : 0.0f;
  }
  CudaCode cuda() const override {
    return {.source = R"(
#include <convoy/cuda_kernel.hpp>
extern "C" __global__ void normalise(const convoy_cuda_call argument) {
  const convoy::CudaCall call(argument);
  __shared__ float largest[64];
  float own = 0;
  for (unsigned long long i = threadIdx.x; i < call.read(0).size(); i += blockDim.x)
    own = fmaxf(own, fabsf(call.read(0)[i]));
  largest[threadIdx.x] = own;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      largest[threadIdx.x] = fmaxf(largest[threadIdx.x], largest[threadIdx.x + half]);
    __syncthreads();
  }
  for (unsigned long long i = threadIdx.x; i < call.read(0).size(); i += blockDim.x)
    call.write(0)[i] = largest[0] > 0 ? call.read(0)[i] / largest[0] : 0.0f;
}
)",
            .ptx = "",
            .entry = "normalise",
            .threads = 64,
            .blocks = 1};
  }
};

class Misspelt : public Shrink {
 public:
  CudaCode cuda() const override {
    CudaCode code = Shrink::cuda();
    code.source.insert(code.source.rfind("element(call, i)"), "hlaf");
    return code;
  }
};

class HostOnly : public Shrink {
 public:
  CudaCode cuda() const override { return {}; }
};

struct Nothing {};  // without a kernel

// Every device trains by itself on its gradients as the kernel leaves them.
template <typename T>
class Calling : public Strategy {
 public:
  void plan(Planner& p) override {
    p.compute();
    for (const ReplicaId r : p.replicas()) {
      const Buffer made = p.scratch(p.replica_place(r), p.arena_elements());
      if constexpr (std::is_same_v<T, Nothing>)
        p.copy(made, p.gradient(r));
      else
        p.call("own kernel", p.replica_place(r), {p.gradient(r)}, {made}, {.scalar = 4});
      p.apply(p.parameters(r), made, {.contributions = 1});
    }
  }
  std::unique_ptr<Kernel> kernel(const std::string&, const Options&) override {
    if constexpr (std::is_same_v<T, Nothing>)
      return nullptr;
    else
      return std::make_unique<T>();
  }
};

struct Trained {
  std::string hash;
  std::vector<float> parameters;
};

template <typename T>
Trained train_on_devices(const plugin::DevicePlugin& devices, std::int64_t steps) {
  runtime::SessionOptions options;
  options.batch = 4;
  options.hash_initializer = true;
  options.optimizer = train::make_optimizer({}, 1);
  const auto strategy = built_in_strategy<Calling<T>>("calling", 0);
  runtime::Session session(small_network(), *strategy, open_devices(devices, 1), options);
  const auto images = hash_images(1, 4);
  train(session, *images, 0.25, steps);
  Trained trained{session.values().parameter_hash(), {}};
  for (const std::vector<float>& variable : session.values().read_model().variables)
    trained.parameters.insert(trained.parameters.end(), variable.begin(), variable.end());
  return trained;
}

class OwnKernels : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = why_no_gpus("0"); !reason.empty())
      GTEST_SKIP() << "no CUDA device can be used: " << reason;
    cuda_ = plugin_under_test(host_, 1);
    cpu_ = cpu_plugin(host_);
  }

  template <typename T>
  Error error_of() {
    try {
      train_on_devices<T>(*cuda_, 1);
    } catch (const Error& error) {
      return error;
    }
    return {ExitCode::kOk, "trained"};
  }

  plugin::PluginHost host_;
  std::unique_ptr<plugin::DevicePlugin> cuda_, cpu_;
};

TEST_F(OwnKernels, AreToldStepAndScalarAndKeepEveryBit) {
  EXPECT_EQ((train_on_devices<Shrink>(*cuda_, 3).hash),
            (train_on_devices<Nothing>(*cuda_, 3).hash));
  EXPECT_NE((train_on_devices<Shrink>(*cuda_, 5).hash), (train_on_devices<Nothing>(*cuda_, 5).hash))
      << "it does not change with the step";
}

TEST_F(OwnKernels, TrainAsTheirHostFunctionsDo) {
  for (const bool shrinks : {true, false}) {
    const auto on = [&](const plugin::DevicePlugin& devices) {
      return shrinks ? train_on_devices<Shrink>(devices, 5).parameters
                     : train_on_devices<Normalise>(devices, 5).parameters;
    };
    const std::vector<float> there = on(*cuda_), here = on(*cpu_);
    ASSERT_EQ(there.size(), here.size());
    float largest = 0;
    for (std::size_t i = 0; i < here.size(); ++i)
      largest = std::max(largest, std::fabs(there[i] - here[i]));
    EXPECT_LT(largest, 1e-4f) << (shrinks ? "shrink" : "normalise");
  }
}

TEST_F(OwnKernels, AreRefusedByNameWithoutAFormForGpus) {
  const Error error = error_of<HostOnly>();
  EXPECT_EQ(error.code(), ExitCode::kUnavailable);
  EXPECT_THAT(error.what(), HasSubstr("kernel 'own kernel' of strategy calling has no form for "));
}

TEST_F(OwnKernels, ShowTheCompilersWordsBeforeTheFirstStep) {
  const Error error = error_of<Misspelt>();
  EXPECT_EQ(error.code(), ExitCode::kUnavailable);
  EXPECT_THAT(error.what(),
              AllOf(HasSubstr("building kernel 'own kernel' of strategy calling"),
                    HasSubstr("the compiler does not take its CUDA source"), HasSubstr("hlaf")));
}

// A kernel with a form for GPUs in CUDA source of its own.
class Given : public Kernel {
 public:
  static inline std::string body_;
  void run(const KernelCall& call) const override {
    for (std::size_t i = 0; i < call.write(0).size(); ++i) call.write(0)[i] = 2 * call.read(0)[i];
  }
  CudaCode cuda() const override { return detail::element_code("{" + body_ + "}"); }
};

TEST_F(OwnKernels, AreComparedWithTheirHostFunctions) {
  const plan::ArenaMap arena = small_arena(32);
  const plan::Cluster cluster = plan::make_single_host(1, false, "tried");
  const plan::Plan plan = write_plan(cluster, arena, [](Planner& p) {
    p.compute();
    const Buffer twice = p.scratch(PlaceId(0), 1000);
    p.call("given", PlaceId(0), {p.scratch(PlaceId(0), 1000)}, {twice});
  });
  plugin::OpenDevice device(*cuda_, {sizeof(convoy_device_request), 1, 0}, 0);
  const auto trial_of = [&](const std::string& body) {
    Given::body_ = body;
    const auto strategy = built_in_strategy<Calling<Given>>("calling", 0);
    void* const built =
        runtime::build_kernel_for(device, cuda_->kernel_forms(), *strategy, "given");
    const auto form = strategy->kernel("given", CONVOY_KERNEL_HOST);
    std::string text =
        runtime::try_on_device(device, built, plan::HostKernel(*form), plan, plan.body.back());
    device.free_kernel(built);
    return text;
  };
  EXPECT_EQ(trial_of("call.write(0)[i] = 2 * call.read(0)[i];"), "");
  EXPECT_THAT(trial_of("call.write(0)[i] = i == 7 ? 3 : 2 * call.read(0)[i];"),
              AllOf(HasSubstr("writes 3 to element 7 of "), HasSubstr("and the host function ")));
  EXPECT_THAT(trial_of("call.write(0)[i + 1] = 2 * call.read(0)[i];"),
              HasSubstr("writes behind the end of "));
}

}  // namespace
}  // namespace convoy::testing::own_kernels_test
