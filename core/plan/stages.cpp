#include "core/plan/stages.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/error.hpp"

namespace convoy::plan {

std::size_t stage_count(const Plan& plan) {
  return 1 + plan.later.size();
}

std::uint64_t first_step_of(const Plan& plan, std::size_t stage) {
  return stage == 0 ? 0 : plan.later.at(stage - 1).first_step;
}

std::uint32_t computes_of(const Plan& plan, std::size_t stage) {
  return stage == 0 ? plan.computes : plan.later.at(stage - 1).computes;
}

std::size_t stage_at(const Plan& plan, std::uint64_t step) {
  std::size_t stage = 0;
  while (stage < plan.later.size() && plan.later[stage].first_step <= step) ++stage;
  return stage;
}

bool stage_begins_with(const Plan& plan, std::uint64_t step) {
  return step > 0 && first_step_of(plan, stage_at(plan, step)) == step;
}

Plan stage_of(const Plan& plan, std::size_t stage) {
  Plan result;
  result.cluster = plan.cluster;
  result.arena = plan.arena;
  result.buffers = plan.buffers;
  result.prologue = stage == 0 ? plan.prologue : plan.later.at(stage - 1).prologue;
  result.body = stage == 0 ? plan.body : plan.later[stage - 1].body;
  result.computes = computes_of(plan, stage);
  return result;
}

void append_stage(Plan& plan, std::uint64_t first_step, Plan stage) {
  CONVOY_CHECK_LE(plan.buffers.size(), stage.buffers.size());
  plan.buffers = std::move(stage.buffers);
  plan.later.push_back(
      {first_step, std::move(stage.prologue), std::move(stage.body), stage.computes});
}

Plan join_stages(const Plan& plan) {
  Plan result = stage_of(plan, 0);
  for (const PlanStage& stage : plan.later) {
    for (const Operation& operation : stage.body) {
      result.body.push_back(operation);
      result.body.back().phase += result.computes;
    }
    result.computes += stage.computes;
  }
  return result;
}

Plan part_stages(Plan joined, const Plan& like) {
  const std::vector<Operation> all = std::exchange(joined.body, {});
  joined.computes = like.computes;
  joined.later = like.later;
  std::vector<std::uint32_t> first_phases{0};
  for (PlanStage& stage : joined.later) {
    stage.body.clear();
    first_phases.push_back(first_phases.back() + computes_of(like, first_phases.size() - 1));
  }
  for (const Operation& operation : all) {
    const auto after = std::upper_bound(first_phases.begin(), first_phases.end(), operation.phase);
    const auto stage = static_cast<std::size_t>(after - first_phases.begin()) - 1;
    PlanStage* later = stage == 0 ? nullptr : &joined.later[stage - 1];
    std::vector<Operation>& body = later == nullptr ? joined.body : later->body;
    const std::size_t before = (later == nullptr ? joined.prologue : later->prologue).size();
    body.push_back(operation);
    body.back().phase -= first_phases[stage];
    body.back().id = static_cast<std::uint32_t>(before + body.size() - 1);
  }
  return joined;
}

std::vector<const std::vector<Operation>*> sections_of(const Plan& plan) {
  std::vector<const std::vector<Operation>*> sections{&plan.prologue, &plan.body};
  for (const PlanStage& stage : plan.later) {
    sections.push_back(&stage.prologue);
    sections.push_back(&stage.body);
  }
  return sections;
}

std::vector<const std::vector<Operation>*> bodies_of(const Plan& plan) {
  std::vector<const std::vector<Operation>*> bodies{&plan.body};
  for (const PlanStage& stage : plan.later) bodies.push_back(&stage.body);
  return bodies;
}

std::vector<const Operation*> called_kernels(const Plan& plan) {
  std::set<std::string_view> known;
  std::vector<const Operation*> calls;
  for (const std::vector<Operation>* section : sections_of(plan))
    for (const Operation& operation : *section)
      if (operation.kind == OperationKind::kCall && known.insert(operation.details->kernel).second)
        calls.push_back(&operation);
  return calls;
}

std::uint32_t number_operations(std::vector<Operation>& prologue, std::vector<Operation>& body,
                                std::uint32_t replicas, std::uint32_t first) {
  std::uint32_t id = first;
  for (Operation& operation : prologue) operation.source = operation.id = id++;
  // A compute of the step begins with the first replica that has run all earlier ones.
  std::vector<std::uint32_t> forwards(replicas, 0);
  std::uint32_t computes = 0;
  for (Operation& operation : body) {
    operation.source = operation.id = id++;
    if (operation.kind == OperationKind::kForward && operation.first_layer == 0)
      computes = std::max(computes, ++forwards[operation.replica]);
    operation.phase = computes == 0 ? 0 : computes - 1;
  }
  return computes;
}

void require_stages(const Plan& plan) {
  if (plan.computes == 0 && plan.later.empty())
    fail(ExitCode::kFailed,
         "the plan computes nothing; call compute() or compute_replica() in plan()");
  for (std::size_t stage = 0; stage < stage_count(plan); ++stage) {
    const std::uint64_t first = first_step_of(plan, stage);
    const std::uint32_t computes = computes_of(plan, stage);
    if (computes == 0)
      fail(ExitCode::kFailed,
           "the plan computes nothing from step {} on; call compute() or compute_replica() there",
           first);
    if (stage + 1 == stage_count(plan)) continue;
    const std::uint64_t end = first_step_of(plan, stage + 1);
    if ((end - first) % computes != 0)
      fail(ExitCode::kFailed,
           "the stage from step {} to {} has {} steps, but takes {} at a time: let the next one "
           "begin with step {}",
           first, end, end - first, computes,
           first + ((end - first) / computes + 1) * std::uint64_t{computes});
  }
  if (plan.later.empty()) return;
  for (const std::vector<Operation>* body : bodies_of(plan))
    if (std::any_of(body->begin(), body->end(), is_loose))
      fail(ExitCode::kFailed,
           "a plan with stages has a relaxed read or an update in any order: its replicas may be "
           "at different steps when a stage begins; leave out relaxed and any_order, or the "
           "stages");
}

}  // namespace convoy::plan
