#include "core/plan/check/parts/part_lengths.hpp"

#include "core/plan/check/audit.hpp"

namespace convoy::check {

// Finds out whether only the equality of lengths matters, because compressors make messages of any
// length. Constants of equal lengths would be equal, too, however they are cut.
void PartLengths::enter(std::span<const PartItems::Item> items) {
  known_.clear();
  scalable_ = reaches_.any(Reach::kAll);
  if (!scalable_) return;  // nobody asks
  for (const PartItems::Item& item : items) {
    const Operation& operation = operation_of(plan_, item.operation);
    if (reaches_[operation.id] == Reach::kAll)
      scalable_ = scalable_ && has_whole_messages(operation);
    else if (operation.kind == OperationKind::kFill)
      scalable_ = false;
    if (!scalable_) return;
  }
}

// Each part of a message is one stretch.
bool PartLengths::has_whole_messages(const Operation& operation) const {
  if (!is_compression(operation.kind)) return false;
  const bool packs =
      operation.kind == OperationKind::kTopK || operation.kind == OperationKind::kQuantise;
  const std::uint64_t messages =
      packs ? 1 : operation.details->sizes[operation.kind == OperationKind::kScatter ? 0 : 2];
  const std::size_t first = lives_.first_span(operation.id) + (packs ? operation.reads.size() : 0);
  for (std::size_t span = first; span < first + 2; ++span) {
    if (stretches_.count(span) != messages) return false;
    for (std::uint32_t i = 1; i < messages; ++i)
      if (stretches_.length(stretches_.first(span) + i) !=
          stretches_.length(stretches_.first(span)))
        return false;
  }
  return true;
}

}  // namespace convoy::check
