#pragma once

#include <memory>
#include <vector>

#include "core/plan/plan.hpp"

namespace convoy::plan::check {

// A plan that is proved in place of a larger one: over a part of the memory, or with fewer
// operations that compute the same.
struct ReducedPlan {
  std::unique_ptr<ArenaMap> arena;  // null: the arena of the whole plan
  Plan plan;
  std::vector<std::uint32_t> operations;  // by id: the id in the whole plan

  // Makes a reduced plan over all elements of the whole plan, still without operations and buffers.
  static std::unique_ptr<ReducedPlan> over_all(const Plan& whole);
  // Reserves memory for this number of operations.
  void reserve(std::size_t count);
  // Appends an operation to a section of this plan. The operation has its id in the whole plan.
  Operation& append(Operation operation, std::vector<Operation>& section);
  // Call this after the last operation. Takes over the buffers of the whole plan and renumbers
  // them. Leaves out unused scratch memory, of which there may be millions of buffers.
  void take_buffers(const Plan& whole);
};

}  // namespace convoy::plan::check
