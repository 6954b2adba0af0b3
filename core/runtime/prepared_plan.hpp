#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "core/graph/arena.hpp"
#include "core/graph/graph.hpp"
#include "core/plan/host_kernel.hpp"
#include "core/plan/step_plan.hpp"
#include "core/plugin/strategy_plugin.hpp"
#include "core/runtime/device_kernels.hpp"
#include "core/runtime/network/cluster_task.hpp"
#include "core/runtime/session_options.hpp"

namespace convoy::runtime {

// A plan for the devices and the storage of one session, ready to run. The strategy must outlive
// it.
struct PreparedPlan {
  plugin::StrategyPlugin* strategy = nullptr;  // null: forward only
  std::uint64_t bucket_elements = 0;
  plan::StepPlan step;
  std::unique_ptr<DeviceKernels> kernels;  // null if no strategy takes part
};

// The site of a plan: the storage, the devices and the options of a session.
struct PlanSite {
  const graph::Graph& graph;
  const graph::Arena& arena;
  const plan::Cluster& cluster;
  const SessionOptions& options;
  const std::shared_ptr<OpenDevices>& devices;
  const Engines& engines;
  CollectiveGroups* groups = nullptr;  // null: no collective reaches other hosts
  const ClusterTask* task = nullptr;   // null on a single host
};

// Writes, lowers and schedules a plan, and checks that it can run there. Error when it cannot, or
// when the options forbid it.
std::shared_ptr<const PreparedPlan> prepare_plan(const PlanSite& site,
                                                 plugin::StrategyPlugin* strategy,
                                                 std::uint64_t bucket_elements);

// Returns one host's part of the schedule of a stage.
plan::Schedule schedule_of_host(const plan::StepPlan& plan, std::size_t stage, std::uint32_t host);

// The strategy in the form that StepPlan takes. It must outlive the result.
plan::PlanAuthor author_of(plugin::StrategyPlugin& strategy);

// The host form of a strategy's kernel; none when it does not exist. The strategy must outlive it.
plan::HostKernel host_kernel_of(plugin::StrategyPlugin& strategy, const std::string& name);

// The buffers that keep the loss scale from step to step; on several hosts each host has one. Empty
// without loss scaling.
std::set<std::uint32_t> loss_scale_buffers(const plan::Plan& lowered);

// Returns why training cannot change between this plan and another one between two steps without an
// effect on the result; empty if it can. It can if every step is a complete synchronous step and
// only the model's values, the optimizer state and the loss scale persist between steps.
std::string why_not_exchangeable(const PreparedPlan& plan);

}  // namespace convoy::runtime
