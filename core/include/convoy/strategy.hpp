#pragma once

// C++20 wrapper for strategy plug-ins. Derive from Strategy, write one training step in plan(), end
// the file with CONVOY_STRATEGY(Class, "name=...", ...). Header-only; needs nothing but the ABI.

#include <convoy/abi.h>
#include <convoy/element_kernel.hpp>
#include <convoy/host_calls.hpp>
#include <convoy/kernel.hpp>
#include <convoy/manifest.hpp>
#include <convoy/planner.hpp>
#include <convoy/sized.hpp>

#include <map>
#include <memory>
#include <string>
#include <utility>

namespace convoy {

// A strategy writes one training step as data; it does not run during training. plan() must be a
// pure function of the planner. The host calls it several times, also for other clusters, and
// refuses the strategy if two plans for the same cluster differ. One thread at a time calls the
// functions of an object. Other objects of the class may plan at the same time, so keep no shared
// state that changes.
class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual void plan(Planner& planner) = 0;

  // The host function for a call() of this name, or nullptr when there is none. During training
  // several threads call it at a time, with different memory.
  virtual convoy_host_kernel host_kernel(const std::string& /*name*/) { return nullptr; }

  // Instead of that function: a kernel that gets the step, the learning rate, scalar and sizes. It
  // is made with the options and may have a form for GPUs (Kernel::cuda). The host asks once per
  // name; the kernel lives as long as the strategy.
  virtual std::unique_ptr<Kernel> kernel(const std::string& /*name*/, const Options& /*options*/) {
    return nullptr;
  }
};

namespace detail {

struct KnownKernel {
  std::unique_ptr<Kernel> kernel;  // null: there is none of this name
  CudaCode cuda;
};

struct StrategyInstance {
  std::unique_ptr<Strategy> strategy;
  const convoy_host* host;
  std::map<std::string, KnownKernel> kernels;  // by name, as far as asked for
};

inline int32_t run_kernel_object(const convoy_kernel_call* call) noexcept {
  try {
    static_cast<const Kernel*>(call->state)->run(KernelCall(*call));
    return CONVOY_OK;
  } catch (...) {
    return CONVOY_FAILED;
  }
}

inline const KnownKernel& known_kernel(StrategyInstance& instance, convoy_context* context,
                                       const std::string& name) {
  if (const auto known = instance.kernels.find(name); known != instance.kernels.end())
    return known->second;
  KnownKernel made;
  made.kernel = instance.strategy->kernel(name, Options(instance.host, context));
  if (made.kernel != nullptr) made.cuda = made.kernel->cuda();
  return instance.kernels.emplace(name, std::move(made)).first->second;
}

// A kernel in that form; function and text stay null when there is none.
inline convoy_kernel kernel_form(StrategyInstance& instance, const KnownKernel& known,
                                 const std::string& name, std::uint32_t form) {
  convoy_kernel result{};
  if (form == CONVOY_KERNEL_HOST && known.kernel != nullptr) {
    result.run = run_kernel_object;
    result.state = known.kernel.get();
  } else if (form == CONVOY_KERNEL_HOST) {
    result.function = instance.strategy->host_kernel(name);
  } else {
    const CudaCode& cuda = known.cuda;
    const std::string& text = form == CONVOY_KERNEL_CUDA_SOURCE ? cuda.source : cuda.ptx;
    if (text.empty() || form > CONVOY_KERNEL_PTX) return result;
    result.text = text.c_str();
    if (!cuda.entry.empty()) result.entry = cuda.entry.c_str();
    result.threads = cuda.threads;
    result.blocks = cuda.blocks;
  }
  return result;
}

template <typename T>
struct StrategyTable {
  static int32_t create(convoy_context* context, const convoy_host* host, void** self) noexcept {
    return guarded(host, context, CONVOY_REFUSED, [&] {
      StrategyInstance instance{std::make_unique<T>(), host, {}};
      *self = std::make_unique<StrategyInstance>(std::move(instance)).release();
    });
  }
  static void destroy(void* self) noexcept { delete static_cast<StrategyInstance*>(self); }
  static int32_t plan(void* self, convoy_context* context, const convoy_planner* table) noexcept {
    auto* instance = static_cast<StrategyInstance*>(self);
    return guarded(instance->host, context, CONVOY_REFUSED, [&] {
      Planner planner(table, instance->host, context);
      instance->strategy->plan(planner);
    });
  }
  static int32_t kernel(void* self, convoy_context* context, const char* name, uint32_t form,
                        convoy_kernel* out) noexcept {
    auto* instance = static_cast<StrategyInstance*>(self);
    return guarded(instance->host, context, CONVOY_REFUSED, [&] {
      const convoy_kernel kernel =
          kernel_form(*instance, known_kernel(*instance, context, name), name, form);
      answer_sized(*out, kernel, "convoy_kernel");
    });
  }
  static constexpr convoy_strategy kTable{
      sizeof(convoy_strategy), CONVOY_ABI_MAJOR, CONVOY_ABI_MINOR, create, destroy, plan, kernel};
};

}  // namespace detail
}  // namespace convoy

// Defines the entry point and the manifest; the texts are "key=value".
#define CONVOY_STRATEGY(Class, ...)                                          \
  CONVOY_MANIFEST("kind=strategy", __VA_ARGS__)                              \
  extern "C" CONVOY_EXPORT const convoy_strategy* convoy_strategy_v1(void) { \
    return &::convoy::detail::StrategyTable<Class>::kTable;                  \
  }
