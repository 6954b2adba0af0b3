#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "core/plan/check/parts/one_of_each.hpp"
#include "core/plan/interpret/interpreter.hpp"
#include "tests/plan/sample_gradients.hpp"
#include "tests/plan/sample_plans.hpp"

namespace convoy::testing {

// Of plans over the same buffers: the first buffer that outlasts a step and does not hold the same
// after `steps` steps; "none".
inline std::string first_difference(const Plan& plan, const Plan& other, std::uint64_t steps) {
  Interpreter a(plan, sample_options(*plan.arena, exact_gradient));
  Interpreter b(other, sample_options(*plan.arena, exact_gradient));
  a.run(steps);
  b.run(steps);
  for (std::uint32_t i = 0; i < plan.buffers.size(); ++i)
    if (plan.buffers[i].kind != CONVOY_BUFFER_SCRATCH &&
        std::memcmp(a.bytes(i).data(), b.bytes(i).data(), a.bytes(i).size()) != 0)
      return plan.buffer_name(i);
  return "none";
}

inline std::size_t size_of(const Plan& plan) {
  return plan.prologue.size() + plan.body.size();
}

}  // namespace convoy::testing
