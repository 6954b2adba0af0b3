#pragma once

#include <cstddef>
#include <vector>

#include "core/plan/lower/lowering.hpp"

namespace convoy::plan {

// How many operations a section becomes when it is lowered.
struct LoweredSize {
  std::size_t least = 0;  // a lower bound
  std::size_t about = 0;  // an estimate; mostly an upper bound
};

LoweredSize expected_size(const Lowering& lowering, const std::vector<Operation>& section);

}  // namespace convoy::plan
