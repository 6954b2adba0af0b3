#pragma once

#include <memory>
#include <vector>

#include "core/plan/plan.hpp"

namespace convoy::check {

// A plan over a part of the memory.
struct Excerpt {
  std::unique_ptr<ArenaMap> arena;  // the plan's
  Plan plan;
  std::vector<std::uint32_t> operations;  // by id: the id in the whole plan
};

// Most plans treat many independent parts of the memory (variables, buckets, pieces of them) in the
// same way. The excerpt keeps one part of every kind, for all replicas. A proof of the excerpt is a
// proof of the whole plan, because the same happens to all parts of a kind (part_fingerprints).
// Look for errors in the whole plan, because operations have other numbers here. Null when the
// excerpt would not be much smaller.
std::unique_ptr<Excerpt> one_of_each(const Plan& plan);

}  // namespace convoy::check
