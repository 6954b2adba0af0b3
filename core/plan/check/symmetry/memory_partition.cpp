#include "core/plan/check/symmetry/memory_partition.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "core/base/process/large_pages.hpp"
#include "core/plan/check/symmetry/partition_refinement.hpp"

namespace convoy::plan::check {
namespace {

bool in_arenas_numbers(const PlanBuffer& buffer) {
  return buffer.kind != CONVOY_BUFFER_SCRATCH && buffer.kind != CONVOY_BUFFER_PERSISTENT;
}

bool pieces_are_reads(Dependence dependence) {
  return dependence == Dependence::kGathers;
}

}  // namespace

std::optional<MemoryPartition> MemoryPartition::of(const Plan& plan,
                                                   const ScratchLiveRanges& lives) {
  MemoryPartition result;
  std::uint32_t spaces = 1;
  for (std::uint32_t memory = 0; memory < lives.memories(); ++memory)
    result.space_.push_back(in_arenas_numbers(plan.buffers[lives.buffer(memory)]) ? 0 : spaces++);
  PartitionRefinement cuts(plan, lives, result.space_, spaces);
  if (!cuts.cut()) return std::nullopt;
  result.number(plan, lives, cuts);
  result.join(plan, lives);
  return result;
}

void MemoryPartition::number(const Plan& plan, const ScratchLiveRanges& lives,
                             const PartitionRefinement& all) {
  for (std::size_t space = 0; space < all.spaces(); ++space) {
    spaces_.push_back(static_cast<std::uint32_t>(lengths_.size()));
    const std::span<const std::uint64_t> cuts = all.of(space);
    for (std::size_t i = 1; i < cuts.size(); ++i) lengths_.push_back(cuts[i] - cuts[i - 1]);
  }
  spaces_.push_back(static_cast<std::uint32_t>(lengths_.size()));
  reserve_large(firsts_, lives.spans());
  reserve_large(counts_, lives.spans());
  for (const auto* section : {&plan.prologue, &plan.body})
    for (const Operation& operation : *section)
      for (const auto* spans : {&operation.reads, &operation.writes})
        for (const PlanSpan& span : *spans) {
          const std::uint32_t space = space_[lives.memory(firsts_.size())];
          const std::size_t first = all.index(space, span.first);
          const std::size_t end = all.index(space, span.first + span.count);
          firsts_.push_back(spaces_[space] + static_cast<std::uint32_t>(first));
          counts_.push_back(static_cast<std::uint32_t>(end - first));
        }
}

void MemoryPartition::join(const Plan& plan, const ScratchLiveRanges& lives) {
  UnionFind joined(lengths_.size());
  for (const auto* section : {&plan.prologue, &plan.body})
    for (const Operation& operation : *section)
      if (!is_compute(operation.kind)) join(operation, lives.first_span(operation.id), joined);
  number_parts(joined);
}

void MemoryPartition::join(const Operation& operation, std::size_t reads, UnionFind& joined) const {
  const Dependence dependence = dependence_of(operation);
  if (dependence == Dependence::kNothing) return;
  const std::size_t writes = reads + operation.reads.size();
  const std::size_t end = writes + operation.writes.size();
  const std::size_t base = pieces_are_reads(dependence) || operation.reads.empty() ? writes : reads;
  std::uint32_t offset = 0;
  for (std::size_t span = reads; span < end; ++span) {
    if (span >= reads + mixed_reads(operation) && span < writes) continue;
    if (span == writes) offset = 0;
    const bool is_piece =
        dependence == (span < writes ? Dependence::kGathers : Dependence::kScatters);
    if (dependence == Dependence::kAll) {
      for (std::uint32_t i = 0; i < counts_[span]; ++i)
        joined.join(firsts_[span] + i, firsts_[base]);
    } else if (firsts_[span] != firsts_[base] + offset) {
      for (std::uint32_t i = 0; i < counts_[span]; ++i)
        joined.join(firsts_[span] + i, firsts_[base] + offset + i);
    }
    if (is_piece) offset += counts_[span];
  }
}

void MemoryPartition::number_parts(UnionFind& joined) {
  std::vector<std::uint32_t> numbers(lengths_.size(), CONVOY_NONE);  // by root
  reserve_large(parts_, lengths_.size());
  for (std::uint32_t i = 0; i < lengths_.size(); ++i) {
    std::uint32_t& number = numbers[joined.root(i)];
    if (number == CONVOY_NONE) number = part_count_++;
    parts_.push_back(number);
  }
  std::vector<std::uint32_t> members(part_count_, 0);
  reserve_large(positions_, parts_.size());
  for (const std::uint32_t part : parts_) positions_.push_back(members[part]++);
  if (!members.empty()) largest_part_ = *std::max_element(members.begin(), members.end());
}

}  // namespace convoy::plan::check
