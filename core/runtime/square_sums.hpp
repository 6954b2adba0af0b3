#pragma once

#include <vector>

#include "core/plan/plan.hpp"

namespace convoy::runtime {

// Selects the updates of a lowered plan that report the sum of w^2 over the decayed elements that
// they are about to change. The L2 term needs every element once. If several updates change one
// range (one per replica), the first one counts, on whichever host.
struct SquareSums {
  std::vector<bool> wanted;    // per operation of the body
  std::vector<bool> complete;  // per phase: its updates cover all elements
};

SquareSums choose_square_sums(const plan::Plan& lowered);

}  // namespace convoy::runtime
