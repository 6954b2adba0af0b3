#pragma once

#include <vector>

#include "core/plan/operation.hpp"

namespace convoy {

// Whether interpret_algebra() is for this kind: products, quotients, roots, matrices.
bool is_algebra(OperationKind kind);

// The result of such an operation for its reads: f32, each result rounded by itself; sums of dot
// and orthogonalise are in double, in the order of the CPU device.
std::vector<float> interpret_algebra(const Operation& operation,
                                     const std::vector<std::vector<float>>& reads);

}  // namespace convoy
