#pragma once

#include <convoy/ids.hpp>

namespace convoy_strategies {

// Two sets of buffers that alternate from step to step.
inline constexpr convoy::SetId kTwoSets[] = {convoy::SetId(0), convoy::SetId(1)};

constexpr convoy::SetId other_set(convoy::SetId set) {
  return convoy::SetId(1 - set.index());
}

}  // namespace convoy_strategies
