#include "core/plan/lower/true_gradients.hpp"

#include <algorithm>
#include <vector>

namespace convoy::plan {
namespace {

// Which buffers have values that come from gradients, at any time. APPLY ends the way of a
// gradient.
class FromGradients {
 public:
  explicit FromGradients(const Plan& plan) : has_(plan.buffers.size(), false) {
    while (pass(plan)) continue;
  }

  bool has(const PlanSpan& span) const { return has_[span.buffer]; }
  std::size_t count(const Operation& operation) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(operation.reads, [&](const PlanSpan& span) { return has(span); }));
  }

 private:
  // Returns whether it found another buffer.
  bool pass(const Plan& plan) {
    bool found = false;
    for (const Operation& operation : plan.body) {
      const bool brings = operation.kind == OperationKind::kBackward || count(operation) > 0;
      if (!brings || operation.kind == OperationKind::kApply) continue;
      for (const PlanSpan& span : operation.writes) {
        found = found || !has_[span.buffer];
        has_[span.buffer] = true;
      }
    }
    return found;
  }

  std::vector<bool> has_;
};

bool needs_true_gradients(const Operation& operation, const FromGradients& gradients) {
  const std::size_t count = gradients.count(operation);
  if (count == 0) return false;
  switch (operation.kind) {
    case OperationKind::kCall:
    case OperationKind::kSquareRoot:
      return true;
    case OperationKind::kDivide:
      return gradients.has(operation.reads[1]);
    case OperationKind::kMultiply:
    case OperationKind::kDot:
    case OperationKind::kMatmul:
      return count > 1;
    case OperationKind::kAdd:
    case OperationKind::kAxpy:
    case OperationKind::kSum:
      return count < operation.reads.size();
    default:
      return false;
  }
}

}  // namespace

bool needs_true_gradients(const Plan& logical) {
  const FromGradients gradients(logical);
  return std::ranges::any_of(logical.body, [&](const Operation& operation) {
    return needs_true_gradients(operation, gradients);
  });
}

}  // namespace convoy::plan
