#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "core/plan/host_kernel.hpp"
#include "core/plan/step_plan.hpp"
#include "core/plugin/strategy_plugin.hpp"
#include "core/runtime/device_kernels.hpp"

namespace convoy {

// A plan for the devices and the storage of one session, ready to run. The strategy must outlive
// it.
struct PreparedPlan {
  StrategyPlugin* strategy = nullptr;  // null: forward only
  std::uint64_t bucket_elements = 0;
  StepPlan step;
  std::unique_ptr<DeviceKernels> kernels;  // null where no strategy has a part in it
};

// For StepPlan: the strategy, which must outlive what it returns.
PlanAuthor author_of(StrategyPlugin& strategy);

// The host form of a strategy's kernel; none when it does not exist. The strategy must outlive it.
HostKernel host_kernel_of(StrategyPlugin& strategy, const std::string& name);

// What keeps the loss scale from step to step: on several hosts each has one. The session hands it
// over. Empty without loss scaling.
std::set<std::uint32_t> loss_scale_buffers(const Plan& lowered);

// Why training cannot pass from this plan to another, or from another to it, between two steps as
// if nothing had happened; empty when it can. It can when every step is a whole synchronous one and
// nothing but the model's values, its optimizer state and the loss scale lives from step to step.
std::string why_not_exchangeable(const PreparedPlan& plan);

}  // namespace convoy
