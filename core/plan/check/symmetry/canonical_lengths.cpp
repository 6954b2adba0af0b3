#include "core/plan/check/symmetry/canonical_lengths.hpp"

#include <algorithm>

#include "core/plan/check/findings.hpp"

namespace convoy::plan::check {
namespace {

// Whether the operation's sizes describe matrices. A product of single matrices is determined by
// which of its sides are equal; the other sizes give the number of matrices.
bool is_of_matrices(const Operation& operation) {
  return operation.kind == OperationKind::kOrthogonalise ||
         (operation.kind == OperationKind::kMatmul && operation.details->sizes[3] <= 1);
}

std::span<const std::uint64_t> sides_of(const Operation& operation) {
  return {operation.details->sizes, operation.kind == OperationKind::kMatmul ? 3u : 2u};
}

}  // namespace

// Finds out whether only the equality of lengths matters. It does for compressors, which make
// messages of any length, and for matrices of any size. Constants are the exception: constants of
// equal lengths would be equal, however they are cut.
void CanonicalLengths::enter(std::span<const PartOperations::Item> items) {
  known_.clear();
  sides_.clear();
  are_relative_ = dependences_.any(Dependence::kAll);
  if (!are_relative_) return;  // no other function needs them
  for (const PartOperations::Item& item : items) {
    const Operation& operation = operation_of(plan_, item.operation);
    if (is_of_matrices(operation))
      sides_.insert(sides_.end(), sides_of(operation).begin(), sides_of(operation).end());
    else if (dependences_[operation.id] == Dependence::kAll)
      are_relative_ = are_relative_ && has_whole_messages(operation);
    else if (operation.kind == OperationKind::kFill)
      are_relative_ = false;
    if (!are_relative_) return;
  }
  std::ranges::sort(sides_);
  sides_.erase(std::unique(sides_.begin(), sides_.end()), sides_.end());
}

// Numbers a side by its place in the order of all sides. So a side that is larger than another one
// is larger in all parts of a class. Sides of 1 keep their value, because they turn matrices into
// vectors.
std::uint64_t CanonicalLengths::size(const Operation& operation, std::size_t number) const {
  const std::uint64_t size = operation.details->sizes[number];
  const bool is_side = is_of_matrices(operation) && number < sides_of(operation).size();
  if (!are_relative_ || !is_side || size <= 1) return size;
  return 2 + static_cast<std::uint64_t>(std::ranges::lower_bound(sides_, size) - sides_.begin());
}

// Whether each part of a message is one stretch.
bool CanonicalLengths::has_whole_messages(const Operation& operation) const {
  if (!is_compression(operation.kind)) return false;
  const bool packs =
      operation.kind == OperationKind::kTopK || operation.kind == OperationKind::kQuantise;
  const std::uint64_t messages =
      packs ? 1 : operation.details->sizes[operation.kind == OperationKind::kScatter ? 0 : 2];
  const std::size_t first = lives_.first_span(operation.id) + (packs ? operation.reads.size() : 0);
  for (std::size_t span = first; span < first + 2; ++span) {
    if (partition_.count(span) != messages) return false;
    for (std::uint32_t i = 1; i < messages; ++i)
      if (partition_.length(partition_.first(span) + i) !=
          partition_.length(partition_.first(span)))
        return false;
  }
  return true;
}

}  // namespace convoy::plan::check
