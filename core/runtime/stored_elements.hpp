#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/plan.hpp"

namespace convoy::runtime {

// Records which elements of an index space have memory, and at which offset. Ranges are packed one
// after the other, so that a master that owns every other bucket of the arena takes half of the
// arena's memory. Within a range, addresses are as in the whole index space. Ranges keep their
// alignment to 32 elements.
class StoredElements {
 public:
  struct Part {
    plan::ElementRange range;  // a range of the index space
    std::uint64_t offset;      // the offset of its first element in memory
  };

  // The ranges are disjoint and ascending, as those of a RangeSet.
  explicit StoredElements(const std::vector<plan::ElementRange>& ranges);

  const std::vector<Part>& parts() const { return parts_; }
  // Elements of memory, alignment included.
  std::uint64_t count() const { return count_; }
  bool empty() const { return parts_.empty(); }
  // Returns the offset of a range in memory. Requires that the whole range has memory.
  std::uint64_t offset(const plan::ElementRange& range) const;
  // The parts of a range that have memory.
  std::vector<Part> parts_in(const plan::ElementRange& range) const;

 private:
  std::vector<Part> parts_;
  std::uint64_t count_ = 0;
};

// Returns, per buffer of a lowered plan, the elements that operations name. Buffers that forward
// and backward use are whole, because layers address them from their first element.
std::vector<StoredElements> named_elements(const plan::Plan& plan);

// Returns, per buffer, the elements that updates change, including those before the first step.
std::vector<StoredElements> updated_elements(const plan::Plan& plan);

}  // namespace convoy::runtime
