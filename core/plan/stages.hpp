#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/plan/plan.hpp"

namespace convoy {

// Training may go through several stages, each with a body of its own over the same buffers. Most
// plans have one: then all this is about the plan itself.

std::size_t stage_count(const Plan& plan);
// The training step that the stage begins with.
std::uint64_t first_step_of(const Plan& plan, std::size_t stage);
// The steps of its period.
std::uint32_t computes_of(const Plan& plan, std::size_t stage);
// The stage that a step belongs to.
std::size_t stage_at(const Plan& plan, std::uint64_t step);
// One stage as a plan by itself, which knows nothing of the others.
Plan stage_of(const Plan& plan, std::size_t stage);
// Puts a plan of one stage behind the others, from that step on; it has the same buffers, and may
// have more.
void append_stage(Plan& plan, std::uint64_t first_step, Plan stage);

// All bodies one behind the other as one, whose phases say which is whose, and with the first
// prologue; and back again, when operations have been added: `like` says what the stages were.
Plan join_stages(const Plan& plan);
Plan part_stages(Plan joined, const Plan& like);

// The prologues and bodies of all stages, in their order; the bodies alone.
std::vector<const std::vector<Operation>*> sections_of(const Plan& plan);
std::vector<const std::vector<Operation>*> bodies_of(const Plan& plan);

// One CALL of every kernel that the plan calls, the first one.
std::vector<const Operation*> called_kernels(const Plan& plan);

// Numbers a stage's operations, from `first` on, and says which compute of the period each belongs
// to. Returns how many computes every replica has in the body.
std::uint32_t number_operations(std::vector<Operation>& prologue, std::vector<Operation>& body,
                                std::uint32_t replicas, std::uint32_t first);

// Error kFailed unless every stage computes, all but the last last for whole periods, and none
// has relaxed reads or updates in any order, whose replicas are not at the same step.
void require_stages(const Plan& plan);

}  // namespace convoy
