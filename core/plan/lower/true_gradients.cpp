#include "core/plan/lower/true_gradients.hpp"

#include <algorithm>
#include <vector>

namespace convoy::plan {
namespace {

// How values may depend on the loss scale, as a set: not at all, in proportion, or otherwise. The
// empty set: they are zero.
using Degrees = unsigned;
constexpr Degrees kZero = 0;
constexpr Degrees kFixed = 1;
constexpr Degrees kProportional = 2;
constexpr Degrees kOther = 4;

Degrees product(Degrees a, Degrees b) {
  if (a == kZero || b == kZero) return kZero;
  Degrees result = ((a | b) & kOther) != 0 ? kOther : kZero;
  if ((a & kFixed) != 0) result |= b;
  if ((b & kFixed) != 0) result |= a;
  if ((a & b & kProportional) != 0) result |= kOther;
  return result;
}

Degrees quotient(Degrees value, Degrees divisor) {
  Degrees result = ((value | divisor) & kOther) != 0 ? kOther : kZero;
  if ((divisor & kFixed) != 0 || divisor == kZero) result |= value;
  if ((divisor & kProportional) != 0) result |= (value & kProportional) != 0 ? kFixed : kOther;
  return result;
}

// Follows a plan's operations until its memory has every dependency that it can have.
class ScaleDependence {
 public:
  explicit ScaleDependence(const Plan& plan) : plan_(plan) {
    for (const PlanBuffer& buffer : plan.buffers)
      memory_.push_back(buffer.is_of_model() ? kFixed : kZero);
    follow(plan.prologue);
  }

  bool needs_true_gradients() {
    for (std::vector<Degrees> before; before != memory_;) {
      before = memory_;
      follow(plan_.body);
      for (std::size_t i = 0; i < before.size(); ++i) memory_[i] |= before[i];
    }
    return found_;
  }

 private:
  void follow(const std::vector<Operation>& operations) {
    for (const Operation& operation : operations) {
      if (operation.kind == OperationKind::kApply) {
        found_ = found_ || (of(operation.reads.front()) & ~kProportional) != 0;
        continue;  // parameters and masters stay what they are
      }
      const Degrees degrees = result_of(operation);
      for (const PlanSpan& span : operation.writes) write(span, degrees);
    }
  }

  Degrees of(const PlanSpan& span) const { return memory_[span.buffer]; }

  Degrees of_all(const Operation& operation) const {
    Degrees all = kZero;
    for (const PlanSpan& span : operation.reads) all |= of(span);
    return all;
  }

  void write(const PlanSpan& span, Degrees degrees) {
    const PlanBuffer& buffer = plan_.buffers[span.buffer];
    const bool whole = span.count == buffer.count;
    found_ = found_ || (buffer.is_of_model() && (degrees & ~kFixed) != 0);
    memory_[span.buffer] = degrees | (whole ? kZero : of(span));
  }

  Degrees result_of(const Operation& operation) const {
    switch (operation.kind) {
      case OperationKind::kForward:
        return kZero;
      case OperationKind::kBackward:
        return kProportional;
      case OperationKind::kFill:
        return operation.scalar == 0 ? kZero : kFixed;
      case OperationKind::kMultiply:
      case OperationKind::kDot:
      case OperationKind::kMatmul:
        return product(of(operation.reads[0]), of(operation.reads[1]));
      case OperationKind::kDivide:
        return quotient(of(operation.reads[0]), of(operation.reads[1])) |
               (operation.scalar == 0 ? kZero : kFixed);
      case OperationKind::kSquareRoot:
        return (of_all(operation) & ~kFixed) == 0 ? of_all(operation) : kOther;
      case OperationKind::kOrthogonalise:
        return kFixed;
      case OperationKind::kCall:
        return (of_all(operation) & ~kFixed) == 0 ? kFixed : kOther;
      default:  // sums, copies, messages
        return of_all(operation);
    }
  }

  const Plan& plan_;
  std::vector<Degrees> memory_;  // by buffer
  bool found_ = false;
};

}  // namespace

bool needs_true_gradients(const Plan& logical) {
  return ScaleDependence(logical).needs_true_gradients();
}

}  // namespace convoy::plan
