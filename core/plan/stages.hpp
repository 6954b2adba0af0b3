#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/plan/plan.hpp"

namespace convoy::plan {

// Training may have several stages, each with its own body over the same buffers. Most plans have
// one stage; then these functions apply to the plan itself.

std::size_t stage_count(const Plan& plan);
// The training step that the stage begins with.
std::uint64_t first_step_of(const Plan& plan, std::size_t stage);
// The steps of its period.
std::uint32_t computes_of(const Plan& plan, std::size_t stage);
// The stage that a step belongs to.
std::size_t stage_at(const Plan& plan, std::uint64_t step);
// Whether another stage begins with this step.
bool stage_begins_with(const Plan& plan, std::uint64_t step);
// One stage as an independent plan.
Plan stage_of(const Plan& plan, std::size_t stage);
// Appends a plan of one stage, from that step on. It has the same buffers, and may have more.
void append_stage(Plan& plan, std::uint64_t first_step, Plan stage);

// join_stages(): all bodies as one body, one after the other, with the first prologue; phases
// identify the stages. part_stages(): the reverse, after operations were added; `like` has the
// original stages.
Plan join_stages(const Plan& plan);
Plan part_stages(Plan joined, const Plan& like);

// The prologues and bodies of all stages, in their order; the bodies alone.
std::vector<const std::vector<Operation>*> sections_of(const Plan& plan);
std::vector<const std::vector<Operation>*> bodies_of(const Plan& plan);

// The first CALL of every kernel that the plan calls.
std::vector<const Operation*> called_kernels(const Plan& plan);

// Numbers a stage's operations from `first` on, and sets the compute of the period to which each
// belongs. Returns how many computes every replica has in the body.
std::uint32_t number_operations(std::vector<Operation>& prologue, std::vector<Operation>& body,
                                std::uint32_t replicas, std::uint32_t first);

// Error kFailed unless every stage computes, every stage but the last lasts for whole periods, and,
// if there are several, none has relaxed reads or updates in any order, because the replicas would
// be at different steps.
void require_stages(const Plan& plan);

}  // namespace convoy::plan
