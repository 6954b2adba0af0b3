#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/plan/check/symbolic/values.hpp"
#include "core/plan/check/symmetry/memory_partition.hpp"

namespace convoy::plan::check {

// The operations on each part of the memory, in order.
class PartOperations : public PartitionedPlan {
 public:
  // An operation on one of the part's stretches. An operation whose writes depend on all its reads
  // is on all of its stretches.
  struct Item {
    std::uint32_t operation = 0;
    std::uint32_t stretch = 0;
  };
  // A forward or backward.
  struct Pass {
    std::uint32_t operation = 0;
    std::uint64_t compute = 0;  // number of the replica's compute in the period
    Fingerprint how = {};       // the other properties of the pass
  };

  explicit PartOperations(const PartitionedPlan& plan) : PartitionedPlan(plan) {}
  // Returns false if forwards and backwards are not passes of one replica over its own memory.
  bool sort();

  std::size_t size() const { return items_.size(); }
  const std::vector<Pass>& passes() const { return passes_; }
  std::span<const Item> items(std::uint32_t part) const {
    return {items_.data() + first_items_[part], first_items_[part + 1] - first_items_[part]};
  }
  // Returns the part's stretches of the arena, ascending.
  std::span<const std::uint32_t> arena_stretches(std::uint32_t part) const {
    return {arena_stretches_.data() + first_stretches_[part],
            first_stretches_[part + 1] - first_stretches_[part]};
  }

 private:
  bool find_passes();
  void sort_items();
  void sort_stretches();

  std::vector<Pass> passes_;
  std::vector<std::size_t> first_items_;  // by part
  std::vector<Item> items_;
  std::vector<std::size_t> first_stretches_;  // of the arena, by part
  std::vector<std::uint32_t> arena_stretches_;
};

}  // namespace convoy::plan::check
