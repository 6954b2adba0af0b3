// What a strategy's own kernel is told while training runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <convoy/strategy.hpp>
#include <vector>

#include "core/base/error.hpp"
#include "core/plugin/kernel_forms.hpp"
#include "core/train/optimizer.hpp"
#include "tests/runtime/lagging_strategy.hpp"
#include "tests/runtime/plugins.hpp"
#include "tests/runtime/small_models.hpp"
#include "tests/runtime/training.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::testing::kernel_context_test {
namespace {

using ::testing::HasSubstr;

struct Told {
  std::uint64_t step = 0;
  double learning_rate = 0;
  double scalar = 0;
  std::uint64_t size = 0;
  std::int64_t option = 0;
  std::size_t read = 0;
};

std::vector<Told>& told() {
  static std::vector<Told> calls;  // of one device's thread, read when the session is gone
  return calls;
}

// Passes gradients on and keeps what it was told.
class Listening : public Kernel {
 public:
  explicit Listening(std::int64_t option) : option_(option) {}
  void run(const KernelCall& call) const override {
    told().push_back({call.step(), call.learning_rate(), call.scalar(), call.size(2), option_,
                      call.read(0).size()});
    std::copy(call.read(0).begin(), call.read(0).end(), call.write(0).begin());
  }

 private:
  std::int64_t option_;
};

class Strict : public Kernel {
 public:
  void run(const KernelCall& call) const override {
    if (call.step() > 0) throw std::runtime_error("this kernel runs once");
  }
};

template <typename T>
class Calling : public Strategy {
 public:
  void plan(Planner& p) override {
    p.compute();
    const PlaceId here = p.replica_place(ReplicaId(0));
    const Buffer passed = p.scratch(here, p.arena_elements());
    p.call("listen", here, {p.gradient(ReplicaId(0))}, {passed},
           {.effect = CallEffect::kSums, .scalar = 0.5, .sizes = {0, 0, 7, 0}});
    p.apply(p.parameters(ReplicaId(0)), passed);
  }
  std::unique_ptr<Kernel> kernel(const std::string& name, const Options& options) override {
    if (name == "broken") throw std::runtime_error("its table is missing");
    if (name != "listen") return nullptr;
    if constexpr (std::is_same_v<T, Listening>)
      return std::make_unique<Listening>(options.integer("max_lag"));
    else
      return std::make_unique<T>();
  }
};

std::unique_ptr<runtime::Session> session_of(plugin::StrategyPlugin& strategy,
                                             const plugin::DevicePlugin& devices) {
  runtime::SessionOptions options;
  options.batch = 4;
  options.optimizer = train::make_optimizer({}, 1);
  return std::make_unique<runtime::Session>(small_network(), strategy, open_devices(devices, 1),
                                            options);
}

TEST(KernelContext, SaysStepRateScalarSizesAndOptions) {
  plugin::PluginHost host;
  const auto devices = cpu_plugin(host);
  const auto strategy = built_in_strategy<Calling<Listening>>("calling", 42);
  told().clear();
  std::uint64_t elements = 0;
  {
    const auto session = session_of(*strategy, *devices);
    elements = session->arena().elements();
    const auto images = hash_images(1, 4);
    train(*session, *images, 0.25, 3);
  }
  ASSERT_EQ(told().size(), 3u);
  for (std::uint64_t step = 0; step < 3; ++step) {
    EXPECT_EQ(told()[step].step, step);
    EXPECT_EQ(told()[step].learning_rate, 0.25);
    EXPECT_EQ(told()[step].scalar, 0.5);
    EXPECT_EQ(told()[step].size, 7u);
    EXPECT_EQ(told()[step].option, 42);
    EXPECT_EQ(told()[step].read, elements);
  }
}

TEST(KernelContext, WhatAKernelThrowsEndsTheRun) {
  plugin::PluginHost host;
  const auto devices = cpu_plugin(host);
  const auto strategy = built_in_strategy<Calling<Strict>>("strict", 0);
  const auto session = session_of(*strategy, *devices);
  const auto images = hash_images(1, 4);
  EXPECT_ANY_THROW(train(*session, *images, 0.25, 3));
}

TEST(KernelContext, OneObjectServesAllCallsOfItsName) {
  const auto strategy = built_in_strategy<Calling<Listening>>("calling", 1);
  const auto first = strategy->kernel("listen", CONVOY_KERNEL_HOST);
  const auto again = strategy->kernel("listen", CONVOY_KERNEL_HOST);
  ASSERT_TRUE(first && again);
  EXPECT_EQ(first->function, nullptr);
  EXPECT_EQ(first->state, again->state);
  EXPECT_FALSE(strategy->kernel("other", CONVOY_KERNEL_HOST));
  EXPECT_FALSE(strategy->kernel("listen", CONVOY_KERNEL_PTX));
}

TEST(KernelContext, WhatGivingAKernelThrowsIsSaidEveryTime) {
  const auto strategy = built_in_strategy<Calling<Listening>>("calling", 1);
  for (int time = 0; time < 2; ++time) {
    EXPECT_THAT(
        thrown_text([&] { strategy->kernel("broken", CONVOY_KERNEL_HOST); }),
        ::testing::AllOf(HasSubstr("giving kernel 'broken'"), HasSubstr("its table is missing")));
  }
}

CONVOY_ELEMENT_KERNEL(Twice, { call.write(0)[i] = 2 * call.read(0)[i]; })

TEST(KernelForms, AreThoseThatTheDevicesRun) {
  const auto strategy = built_in_strategy<Calling<Twice>>("calling", 1);
  const plugin::KernelForms on_hosts{.devices = "CPU devices"};
  EXPECT_EQ(plugin::require_form(*strategy, "listen", on_hosts).form, CONVOY_KERNEL_HOST);
  const plugin::FoundForm found =
      plugin::require_form(*strategy, "listen", plugin::gpu_forms("GPUs"));
  EXPECT_EQ(found.form, CONVOY_KERNEL_CUDA_SOURCE);
  EXPECT_STREQ(found.kernel.entry, "convoy_elements");
  EXPECT_THAT(found.kernel.text, HasSubstr("{ call.write(0)[i] = 2 * call.read(0)[i]; }"));
  const auto again = strategy->kernel("listen", CONVOY_KERNEL_CUDA_SOURCE);
  EXPECT_EQ(again->text, found.kernel.text) << "valid until the strategy goes";
}

TEST(KernelForms, SayWhatIsMissingAndWhatToDo) {
  const auto strategy = built_in_strategy<Calling<Listening>>("calling", 1);
  EXPECT_FALSE(plugin::find_form(*strategy, "listen", plugin::gpu_forms("GPUs")));
  try {
    plugin::require_form(*strategy, "listen", plugin::gpu_forms("the GPUs of dgx1"));
    FAIL() << "a form was found";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUnavailable);
    EXPECT_STREQ(error.what(),
                 "kernel 'listen' of strategy calling has no form for the GPUs of dgx1, which run "
                 "CUDA source or PTX: give it one (Kernel::cuda(), or CONVOY_ELEMENT_KERNEL); or "
                 "choose CPU devices (--device=cpu) or another strategy");
  }
}

}  // namespace
}  // namespace convoy::testing::kernel_context_test
