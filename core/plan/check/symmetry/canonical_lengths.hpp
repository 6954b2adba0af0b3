#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/plan/check/symmetry/part_dependences.hpp"
#include "core/plan/check/symmetry/part_operations.hpp"

namespace convoy::plan::check {

// Canonical numbers for lengths of stretches and sizes of matrices, in the fingerprints of what
// kernels, compressors and products write. Processes one part after the other.
class CanonicalLengths : public PartitionedPlan {
 public:
  CanonicalLengths(const PartitionedPlan& plan, const PartDependences& dependences)
      : PartitionedPlan(plan), dependences_(dependences) {}

  void enter(std::span<const PartOperations::Item> items);
  // Whether only the equality of lengths and the order of sizes matter in this part.
  bool are_relative() const { return are_relative_; }
  std::uint64_t of(std::uint32_t stretch) {
    const std::uint64_t elements = partition_.length(stretch);
    return are_relative_ ? known_.try_emplace(elements, known_.size()).first->second : elements;
  }
  // Returns a canonical number for size `number` of an operation.
  std::uint64_t size(const Operation& operation, std::size_t number) const;

 private:
  bool has_whole_messages(const Operation& operation) const;

  const PartDependences& dependences_;
  bool are_relative_ = false;
  std::map<std::uint64_t, std::size_t> known_;  // in the order of their appearance, if the lengths
                                                // are relative
  std::vector<std::uint64_t> sides_;            // of all matrices, ascending, each once
};

}  // namespace convoy::plan::check
