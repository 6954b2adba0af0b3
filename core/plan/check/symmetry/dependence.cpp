#include "core/plan/check/symmetry/dependence.hpp"

namespace convoy::plan::check {

Dependence dependence_of(const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::kReduceScatter:
      return Dependence::kScatters;
    case OperationKind::kAllGather:
      return Dependence::kGathers;
    case OperationKind::kNorm:
    case OperationKind::kAdaptLossScale:
      return Dependence::kNothing;
    case OperationKind::kSquareRoot:  // treated like any kernel
      return Dependence::kAll;
    case OperationKind::kMultiply:
    case OperationKind::kDivide:
      return element_reads(operation) == 2 ? Dependence::kElements : Dependence::kAll;
    case OperationKind::kForward:
    case OperationKind::kBackward:
      return Dependence::kElements;
    default:
      return is_elementwise(operation.kind) || is_collective(operation.kind) ? Dependence::kElements
                                                                             : Dependence::kAll;
  }
}

std::size_t mixed_reads(const Operation& operation) {
  return operation.kind == OperationKind::kApply ? element_reads(operation)
                                                 : operation.reads.size();
}

}  // namespace convoy::plan::check
