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

// Most plans do the same to many parts of the memory, which have nothing to do with each other:
// variables, buckets, pieces of them. The excerpt keeps one part of every kind, for all replicas.
// What is proved of it is proved of the whole: the same happens to all parts of a kind
// (part_fingerprints). What is wrong should be looked for in the whole plan, for operations have
// other numbers here. Null when nothing much can be left out.
std::unique_ptr<Excerpt> one_of_each(const Plan& plan);

}  // namespace convoy::check
