#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "core/plan/host_kernel.hpp"
#include "core/plan/step_plan.hpp"
#include "core/plugin/strategy_plugin.hpp"
#include "core/runtime/device_kernels.hpp"

namespace convoy::runtime {

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

// The buffers that keep the loss scale from step to step; on several hosts each host has one. Empty
// without loss scaling.
std::set<std::uint32_t> loss_scale_buffers(const Plan& lowered);

// The reason why training cannot change between this plan and another one between two steps without
// an effect on the result; empty when it can. It can if every step is a complete synchronous step
// and only the model's values, the optimizer state and the loss scale persist between steps.
std::string why_not_exchangeable(const PreparedPlan& plan);

}  // namespace convoy::runtime
