#include "core/plan/check/symmetry/dependence.hpp"

namespace convoy::check {

Reach reach_of(const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::kReduceScatter:
      return Reach::kScatters;
    case OperationKind::kAllGather:
      return Reach::kGathers;
    case OperationKind::kNorm:
    case OperationKind::kAdaptLossScale:
      return Reach::kNothing;
    case OperationKind::kSquareRoot:  // as good as any kernel
      return Reach::kAll;
    case OperationKind::kMultiply:
    case OperationKind::kDivide:
      return element_reads(operation) == 2 ? Reach::kElements : Reach::kAll;
    case OperationKind::kForward:
    case OperationKind::kBackward:
      return Reach::kElements;
    default:
      return is_elementwise(operation.kind) || is_collective(operation.kind) ? Reach::kElements
                                                                             : Reach::kAll;
  }
}

std::size_t mixed_reads(const Operation& operation) {
  return operation.kind == OperationKind::kApply ? element_reads(operation)
                                                 : operation.reads.size();
}

}  // namespace convoy::check
