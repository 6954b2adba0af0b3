#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/plan/check/symmetry/dependence.hpp"
#include "core/plan/check/symmetry/scratch_live_ranges.hpp"
#include "core/plan/plan.hpp"
#include "core/plan/union_find.hpp"

namespace convoy::plan::check {

class PartitionRefinement;

// The memory of a plan, cut into stretches that every operation reads or writes as a whole.
// Stretches that depend on each other form one part. All memories that are numbered as the arena
// have the same cuts, and share the stretches of the arena.
class MemoryPartition {
 public:
  // Returns nothing if there would be very many stretches.
  static std::optional<MemoryPartition> of(const Plan& plan, const ScratchLiveRanges& lives);

  std::size_t size() const { return lengths_.size(); }
  std::uint64_t length(std::uint32_t stretch) const { return lengths_[stretch]; }
  // The number of the arena's stretches, which come first.
  std::uint32_t of_arena() const { return spaces_[1]; }
  // The first stretch of a memory.
  std::uint32_t first_of_memory(std::uint32_t memory) const { return spaces_[space_[memory]]; }
  std::uint32_t end_of_memory(std::uint32_t memory) const { return spaces_[space_[memory] + 1]; }
  bool in_arena(std::uint32_t memory) const { return space_[memory] == 0; }
  // The first stretch of a span. Spans are numbered as in ScratchLiveRanges.
  std::uint32_t first(std::size_t span) const { return firsts_[span]; }
  std::uint32_t count(std::size_t span) const { return counts_[span]; }
  // The number of the stretch's part.
  std::uint32_t part(std::uint32_t stretch) const { return parts_[stretch]; }
  std::uint32_t parts() const { return part_count_; }
  // The number of a stretch within its part. The arena's stretches come first.
  std::uint32_t position(std::uint32_t stretch) const { return positions_[stretch]; }
  // The number of stretches in the largest part.
  std::uint32_t largest_part() const { return largest_part_; }

 private:
  MemoryPartition() = default;
  void number(const Plan& plan, const ScratchLiveRanges& lives, const PartitionRefinement& cuts);
  void join(const Plan& plan, const ScratchLiveRanges& lives);
  void join(const Operation& operation, std::size_t reads, UnionFind& joined) const;
  void number_parts(UnionFind& joined);

  std::vector<std::uint32_t> space_;   // by memory; 0: the arena
  std::vector<std::uint32_t> spaces_;  // the first stretch of each space, and the end
  std::vector<std::uint64_t> lengths_;
  std::vector<std::uint32_t> firsts_;  // by span
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint32_t> parts_;  // by stretch
  std::uint32_t part_count_ = 0;
  std::vector<std::uint32_t> positions_;  // by stretch
  std::uint32_t largest_part_ = 0;
};

// The common base of classes that work on parts: a plan, and the division of its memory.
class PartitionedPlan {
 public:
  PartitionedPlan(const Plan& plan, const ScratchLiveRanges& lives,
                  const MemoryPartition& partition)
      : plan_(plan), lives_(lives), partition_(partition) {}

  std::uint32_t parts() const { return partition_.parts(); }

 protected:
  const Plan& plan_;
  const ScratchLiveRanges& lives_;
  const MemoryPartition& partition_;
};

}  // namespace convoy::plan::check
