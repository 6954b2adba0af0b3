#pragma once

#include "core/plan/operation.hpp"

namespace convoy::simulate {

// The part of the span that passes every link of a ring.
inline double ring_weight(plan::OperationKind kind, double devices) {
  if (kind == plan::OperationKind::kAllReduce) return 2 * (devices - 1) / devices;
  if (kind == plan::OperationKind::kReduceScatter || kind == plan::OperationKind::kAllGather)
    return (devices - 1) / devices;
  return 1;  // broadcast, reduce: a chain
}

}  // namespace convoy::simulate
