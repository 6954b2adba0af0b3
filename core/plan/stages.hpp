#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/plan/plan.hpp"

namespace convoy::plan {

// Training may have several stages, each with its own body over the same buffers. Most plans have
// one stage; then these functions apply to the plan itself.

std::size_t stage_count(const Plan& plan);
// Returns the training step with which the stage begins.
std::uint64_t first_step_of(const Plan& plan, std::size_t stage);
// Returns the number of steps of the stage's period.
std::uint32_t computes_of(const Plan& plan, std::size_t stage);
// Returns the stage to which a step belongs.
std::size_t stage_at(const Plan& plan, std::uint64_t step);
// Whether another stage begins with this step.
bool stage_begins_with(const Plan& plan, std::uint64_t step);
// Returns one stage as an independent plan.
Plan stage_of(const Plan& plan, std::size_t stage);
// Appends a plan of one stage, which begins at that step. It has the same buffers, and may have
// more.
void append_stage(Plan& plan, std::uint64_t first_step, Plan stage);

// join_stages() puts all bodies one after the other into one body, with the first prologue; phases
// identify the stages. part_stages() does the reverse, after operations were added; `like` has the
// original stages.
Plan join_stages(const Plan& plan);
Plan part_stages(Plan joined, const Plan& like);

// Returns the prologues and bodies of all stages, in their order. bodies_of() returns the bodies
// alone.
std::vector<const std::vector<Operation>*> sections_of(const Plan& plan);
std::vector<const std::vector<Operation>*> bodies_of(const Plan& plan);

// Returns the first CALL of every kernel that the plan calls.
std::vector<const Operation*> called_kernels(const Plan& plan);

// Numbers a stage's operations from `first` on, and sets the compute of the period to which each
// belongs. Returns how many computes every replica has in the body.
std::uint32_t number_operations(std::vector<Operation>& prologue, std::vector<Operation>& body,
                                std::uint32_t replicas, std::uint32_t first);

// Error kFailed unless every stage computes, and every stage but the last lasts for whole periods.
// If there are several stages, none may have relaxed reads or updates in any order, because the
// replicas would then be at different steps.
void require_stages(const Plan& plan);

}  // namespace convoy::plan
