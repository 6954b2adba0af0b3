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
// Stretches that depend on each other are one part. All memories in the arena's numbers have the
// same cuts, and share the stretches of the arena.
class MemoryPartition {
 public:
  // None when there would be very many stretches.
  static std::optional<MemoryPartition> of(const Plan& plan, const ScratchLiveRanges& lives);

  std::size_t size() const { return lengths_.size(); }
  std::uint64_t length(std::uint32_t stretch) const { return lengths_[stretch]; }
  // The arena's are the first ones.
  std::uint32_t of_arena() const { return spaces_[1]; }
  // Where a memory's stretches begin.
  std::uint32_t first_of_memory(std::uint32_t memory) const { return spaces_[space_[memory]]; }
  std::uint32_t end_of_memory(std::uint32_t memory) const { return spaces_[space_[memory] + 1]; }
  bool in_arena(std::uint32_t memory) const { return space_[memory] == 0; }
  // Of a span, numbered as ScratchLiveRanges does.
  std::uint32_t first(std::size_t span) const { return firsts_[span]; }
  std::uint32_t count(std::size_t span) const { return counts_[span]; }
  // Equal for stretches of one part.
  std::uint32_t part(std::uint32_t stretch) const { return parts_[stretch]; }
  std::uint32_t parts() const { return part_count_; }
  // The number of a stretch among those of its part: the arena's come first.
  std::uint32_t position(std::uint32_t stretch) const { return positions_[stretch]; }
  // The stretches of the part that has most.
  std::uint32_t largest_part() const { return largest_part_; }

 private:
  MemoryPartition() = default;
  void number(const Plan& plan, const ScratchLiveRanges& lives, const PartitionRefinement& cuts);
  void join(const Plan& plan, const ScratchLiveRanges& lives);
  void join(const Operation& operation, std::size_t reads, UnionFind& joined) const;
  void number_parts(UnionFind& joined);

  std::vector<std::uint32_t> space_;   // by memory; 0: the arena
  std::vector<std::uint32_t> spaces_;  // the first stretch of each, and the end
  std::vector<std::uint64_t> lengths_;
  std::vector<std::uint32_t> firsts_;  // by span
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint32_t> parts_;  // by stretch
  std::uint32_t part_count_ = 0;
  std::vector<std::uint32_t> positions_;  // by stretch
  std::uint32_t largest_part_ = 0;
};

// What everything that works on parts needs: a plan, and how its memory is divided.
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
