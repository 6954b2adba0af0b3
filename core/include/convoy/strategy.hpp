#pragma once

// C++20 wrapper for strategy plug-ins. Derive from Strategy, write one training step in plan(), end
// the file with CONVOY_STRATEGY(Class, "name=...", ...). Header-only; needs nothing but the ABI.

#include <convoy/abi.h>
#include <convoy/kernel.hpp>
#include <convoy/manifest.hpp>
#include <convoy/planner.hpp>
#include <convoy/sized.hpp>

#include <exception>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace convoy {

// A strategy writes one training step as data; it does not run during training. plan() must be a
// pure function of the planner: the host calls it several times, for other clusters, too, and
// refuses a plan that differs. Functions of one object are called by one thread at a time, but
// other objects of the class may plan at the same time: it shares nothing that changes.
class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual void plan(Planner& planner) = 0;

  // The host function behind a call() of this name, or nullptr when there is none. It is called by
  // several threads at a time, with different memory, while the training runs.
  virtual convoy_host_kernel host_kernel(const std::string& /*name*/) { return nullptr; }

  // Instead of that function: a kernel that is told step, learning rate, scalar and sizes, and is
  // made with the options. Asked for once per name; the kernel lives as long as the strategy.
  virtual std::unique_ptr<Kernel> kernel(const std::string& /*name*/, const Options& /*options*/) {
    return nullptr;
  }
};

namespace detail {

struct StrategyInstance {
  std::unique_ptr<Strategy> strategy;
  const convoy_host* host;
  std::map<std::string, std::unique_ptr<Kernel>> kernels;  // those asked for; null: no such one
};

inline int32_t run_kernel_object(const convoy_kernel_call* call) noexcept {
  try {
    static_cast<const Kernel*>(call->state)->run(KernelCall(*call));
    return CONVOY_OK;
  } catch (...) {
    return CONVOY_FAILED;
  }
}

// The host form of a kernel: an object, or else a function.
inline convoy_kernel host_form(StrategyInstance& instance, convoy_context* context,
                               const std::string& name) {
  const auto [known, is_new] = instance.kernels.try_emplace(name);
  if (is_new) known->second = instance.strategy->kernel(name, Options(instance.host, context));
  convoy_kernel kernel{};
  if (known->second == nullptr) {
    kernel.function = instance.strategy->host_kernel(name);
    return kernel;
  }
  kernel.run = run_kernel_object;
  kernel.state = known->second.get();
  return kernel;
}

// Runs an action of the plug-in; whatever it throws becomes an error text of the host.
template <typename Action>
int32_t guarded(const convoy_host* host, convoy_context* context, Action action) noexcept {
  try {
    return action();
  } catch (const Refused&) {
    return CONVOY_REFUSED;
  } catch (const HostRefused&) {
    return CONVOY_FAILED;  // the host has said why already
  } catch (const std::invalid_argument& error) {
    host->set_error(context, error.what());
    return CONVOY_REFUSED;
  } catch (const std::exception& error) {
    host->set_error(context, error.what());
  } catch (...) {
    host->set_error(context, "an exception that is not a std::exception");
  }
  return 1;
}

template <typename T>
struct StrategyTable {
  static int32_t create(convoy_context* context, const convoy_host* host, void** self) noexcept {
    return guarded(host, context, [&] {
      StrategyInstance instance{std::make_unique<T>(), host, {}};
      *self = std::make_unique<StrategyInstance>(std::move(instance)).release();
      return 0;
    });
  }
  static void destroy(void* self) noexcept { delete static_cast<StrategyInstance*>(self); }
  static int32_t plan(void* self, convoy_context* context, const convoy_planner* table) noexcept {
    auto* instance = static_cast<StrategyInstance*>(self);
    return guarded(instance->host, context, [&] {
      Planner planner(table, instance->host, context);
      instance->strategy->plan(planner);
      return 0;
    });
  }
  static int32_t kernel(void* self, convoy_context* context, const char* name, uint32_t form,
                        convoy_kernel* out) noexcept {
    auto* instance = static_cast<StrategyInstance*>(self);
    return guarded(instance->host, context, [&] {
      convoy_kernel kernel{};
      if (form == CONVOY_KERNEL_HOST) kernel = host_form(*instance, context, name);
      answer_sized(*out, kernel, "convoy_kernel");
      if (kernel.function != nullptr || kernel.run != nullptr) return 0;
      instance->host->set_error(context, (std::string("no such form of kernel ") + name).c_str());
      return 1;
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
