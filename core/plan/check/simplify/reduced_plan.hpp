#pragma once

#include <memory>
#include <vector>

#include "core/plan/plan.hpp"

namespace convoy::plan::check {

// A plan that is proved in place of a larger one: over a part of the memory, or with fewer
// operations that compute the same.
struct ReducedPlan {
  std::unique_ptr<ArenaMap> arena;  // the plan's; null: it is that of the whole plan
  Plan plan;
  std::vector<std::uint32_t> operations;  // by id: the id in the whole plan

  // Without operations and buffers, over all elements of the whole plan.
  static std::unique_ptr<ReducedPlan> over_all(const Plan& whole);
  // Memory for so many operations.
  void reserve(std::size_t count);
  // Appends an operation that has its id in the whole plan to one of the plan's sections.
  Operation& append(Operation operation, std::vector<Operation>& section);
  // After the last operation: takes the buffers of the whole plan and renumbers them. Leaves out
  // scratch memory that no operation uses any more, of which there may be millions.
  void take_buffers(const Plan& whole);
};

}  // namespace convoy::plan::check
