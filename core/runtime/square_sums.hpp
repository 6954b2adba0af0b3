#pragma once

#include <vector>

#include "core/plan/plan.hpp"

namespace convoy::runtime {

// Which updates of a lowered plan report the sum of w^2 over the decayed elements that they are
// about to change. The L2 term needs every element once: of several updates of one range (one per
// replica) the first counts, on whichever host.
struct SquareSums {
  std::vector<bool> wanted;    // per operation of the body
  std::vector<bool> complete;  // per phase: its updates cover all elements
};

SquareSums choose_square_sums(const plan::Plan& lowered);

}  // namespace convoy::runtime
