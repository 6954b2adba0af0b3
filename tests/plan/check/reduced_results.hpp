#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/plan/check/simplify/reduced_plan.hpp"
#include "core/plan/lower/lower.hpp"
#include "tests/plan/sample_gradients.hpp"
#include "tests/plan/sample_plans.hpp"
#include "tests/plan/small_pieces.hpp"
#include "tests/support/interpreter.hpp"

namespace convoy::testing {

// By number; scratch memory does not outlast a step.
inline std::vector<std::uint32_t> lasting_buffers(const plan::Plan& plan) {
  std::vector<std::uint32_t> result;
  for (std::uint32_t i = 0; i < plan.buffers.size(); ++i)
    if (plan.buffers[i].kind != CONVOY_BUFFER_SCRATCH) result.push_back(i);
  return result;
}

// Of plans over the same buffers but for scratch memory: the first buffer that does not hold the
// same after `steps` steps; "none".
inline std::string first_difference(const plan::Plan& plan, const plan::Plan& other,
                                    std::uint64_t steps) {
  Interpreter a(plan, sample_options(*plan.arena, exact_gradient));
  Interpreter b(other, sample_options(*plan.arena, exact_gradient));
  a.run(steps);
  b.run(steps);
  const std::vector<std::uint32_t> of_plan = lasting_buffers(plan);
  const std::vector<std::uint32_t> of_other = lasting_buffers(other);
  if (of_plan.size() != of_other.size()) return "the number of buffers";
  for (std::size_t i = 0; i < of_plan.size(); ++i)
    if (!std::ranges::equal(a.bytes(of_plan[i]), b.bytes(of_other[i])))
      return plan.buffer_name(of_plan[i]);
  return "none";
}

// visit(name, plan), of all samples for 2, 3 and 5 devices.
template <typename Visit>
void for_each_lowered_sample(bool peer_access, Visit visit) {
  for (const std::uint32_t replicas : {2u, 3u, 5u})
    for (const plan::ArenaMap& arena : {small_arena(0), small_arena(16), ragged_arena()}) {
      const plan::Cluster cluster = plan::make_single_host(replicas, peer_access, "cpu");
      for (const SamplePlan& sample : sample_plans())
        visit(sample.name, plan::lower(write_plan(cluster, arena, sample.write), kSmallPieces));
    }
}

inline std::size_t size_of(const plan::Plan& plan) {
  return plan.prologue.size() + plan.body.size();
}

}  // namespace convoy::testing
