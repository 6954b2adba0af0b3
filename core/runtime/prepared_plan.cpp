#include "core/runtime/prepared_plan.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/plan/lower/device_collective.hpp"
#include "core/plan/schedule/live_ranges.hpp"
#include "core/plan/schedule/local_schedule.hpp"
#include "core/plan/schedule/spanning_collective.hpp"
#include "core/plan/stages.hpp"
#include "core/runtime/claim.hpp"
#include "core/runtime/model_map.hpp"
#include "core/runtime/supported.hpp"

namespace convoy::runtime {
namespace {

// Checks options whose validity depends on the plan.
void require_promises(const PreparedPlan& plan, const PlanSite& site) {
  if (plan.strategy == nullptr) return;
  const std::string& name = plan.strategy->manifest().name;
  if (site.options.deterministic)
    require_deterministic(name, plan.step.check(), site.devices->descriptions());
  if (plan.step.check().exact == plan::check::Verdict::kIndependent &&
      site.options.optimizer.gradient_scale != 1)
    fail(ExitCode::kUsage,
         "--gradient_scale=sum does not go with --variable_update={}: every device trains alone "
         "there and nothing is summed; leave it out",
         name);
}

// Checks that the network can carry the messages between this host and others.
void require_network_reach(const PreparedPlan& plan, const ClusterTask& task) {
  const std::uint32_t strands = plan.step.schedule().strands.count;
  if (strands > task.network->channels())
    fail(ExitCode::kUsage,
         "strategy {} has {} workers that do not wait for each other, and messages of each need a "
         "channel of their own, but there are {}; take fewer workers, or --cross_replica_sync=true",
         plan.strategy->manifest().name, strands, task.network->channels());
}

// On several hosts, every host checks its own lanes.
void require_orders(const plan::StepPlan& plan, const PlanSite& site) {
  for (std::size_t stage = 0; stage < plan.stages(); ++stage) {
    if (site.task == nullptr)
      plan::require_collective_order(plan.lowered(stage), plan.schedule(stage));
    else if (site.groups != nullptr)
      plan::require_collective_order(plan.lowered(stage),
                                     schedule_of_host(plan, stage, site.task->host));
  }
}

void prepare_on_this_host(const plan::Plan& lowered, const Engines& engines) {
  std::set<std::vector<std::uint32_t>> prepared;
  for (const std::vector<plan::Operation>* section : plan::sections_of(lowered))
    for (const plan::Operation& operation : *section) {
      if (!plan::is_collective(operation.kind) || plan::spans_hosts(lowered, operation)) continue;
      if (engines.at(operation.place) == nullptr) continue;
      const std::vector<std::uint32_t> places = plan::participants(operation, lowered);
      if (!prepared.insert(places).second) continue;
      std::vector<plugin::OpenDevice*> devices;
      devices.reserve(places.size());
      for (const std::uint32_t place : places) devices.push_back(engines.at(place));
      const auto reason = engines.at(operation.place)->collective_refusal(devices, true);
      if (reason)
        fail(ExitCode::kUnavailable, "operation {} ({}) of the plan cannot be prepared: {}",
             operation.id, plan::operation_name(operation.kind), *reason);
    }
}

// Prepares every group of devices once, before any operation waits for it.
void prepare_collectives(const plan::StepPlan& plan, const PlanSite& site) {
  require_orders(plan, site);
  prepare_on_this_host(plan.lowered(), site.engines);
  if (site.groups != nullptr)
    site.groups->open(plan.lowered(), *site.task->peers, site.task->join_timeout);
}

}  // namespace

std::shared_ptr<const PreparedPlan> prepare_plan(const PlanSite& site,
                                                 plugin::StrategyPlugin* strategy,
                                                 std::uint64_t bucket_elements) {
  plan::ArenaMap map = make_arena_map(site.graph, site.arena, bucket_elements);
  std::shared_ptr<PreparedPlan> made;
  if (strategy == nullptr) {
    made.reset(new PreparedPlan{nullptr, bucket_elements, {site.cluster, std::move(map)}, nullptr});
  } else {
    made.reset(new PreparedPlan{
        strategy,
        bucket_elements,
        {site.cluster, std::move(map), author_of(*strategy), {.guard = site.options.guard}},
        nullptr});
    require_manifest(made->step.logical(), *strategy);
    require_claim(strategy->manifest(), made->step.logical(), made->step.check());
    for (const plan::Operation* call : plan::called_kernels(made->step.logical()))
      plugin::require_form(*strategy, call->details->kernel, site.devices->kernel_forms());
  }
  if (site.task != nullptr) require_network_reach(*made, *site.task);
  require_supported(made->step.lowered(), site.engines);
  prepare_collectives(made->step, site);
  require_promises(*made, site);
  if (strategy != nullptr)
    made->kernels = std::make_unique<DeviceKernels>(made->step.lowered(), site.engines, *strategy,
                                                    site.devices);
  return made;
}

plan::Schedule schedule_of_host(const plan::StepPlan& plan, std::size_t stage, std::uint32_t host) {
  const plan::Plan& lowered = plan.lowered(stage);
  return plan::local_schedule(lowered, plan::find_dependencies(lowered), plan.schedule(stage),
                              host);
}

std::set<std::uint32_t> loss_scale_buffers(const plan::Plan& lowered) {
  std::set<std::uint32_t> buffers;
  for (const std::vector<plan::Operation>* body : plan::bodies_of(lowered))
    for (const plan::Operation& operation : *body)
      if ((operation.flags & CONVOY_OP_LOSS_SCALED) != 0)
        buffers.insert(plan::loss_scale_span(operation).buffer);
  return buffers;
}

plan::PlanAuthor author_of(plugin::StrategyPlugin& strategy) {
  return {strategy.manifest().name,
          [&strategy](const convoy_planner& planner) { strategy.plan(planner); }};
}

plan::HostKernel host_kernel_of(plugin::StrategyPlugin& strategy, const std::string& name) {
  const std::optional<convoy_kernel> kernel = strategy.kernel(name, CONVOY_KERNEL_HOST);
  return kernel ? plan::HostKernel(*kernel) : plan::HostKernel();
}

std::string why_not_exchangeable(const PreparedPlan& plan) {
  if (plan.step.check().verdict != plan::check::Verdict::kSynchronous)
    return fmt::format("it is {}, and only synchronous steps can follow each other's",
                       plan.step.check().verdict_text());
  if (plan.step.stages() > 1) return "its plan changes during training";
  if (plan.step.lowered().computes != 1)
    return fmt::format("its plan takes turns over {} steps", plan.step.lowered().computes);
  const std::set<std::uint32_t> handed_over = loss_scale_buffers(plan.step.lowered());
  const auto live = plan::live_ranges(plan.step.lowered(), 0);
  for (std::uint32_t i = 0; i < live.size(); ++i) {
    const bool values = plan.step.lowered().buffers[i].is_of_model();
    if (!live[i].empty() && !values && !handed_over.contains(i))
      return fmt::format("its plan keeps {} from step to step", plan.step.lowered().buffer_name(i));
  }
  return {};
}

}  // namespace convoy::runtime
