#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/plan/check/symmetry/dependence.hpp"
#include "core/plan/check/symmetry/part_operations.hpp"

namespace convoy::plan::check {

// The dependence of every operation of a plan.
class PartDependences : public PartitionedPlan {
 public:
  explicit PartDependences(const PartitionedPlan& it) : PartitionedPlan(it) {
    dependences_.reserve(plan_.prologue.size() + plan_.body.size());
    for (const auto* section : {&plan_.prologue, &plan_.body})
      for (const Operation& operation : *section) {
        dependences_.push_back(dependence_of(operation));
        any_[static_cast<std::size_t>(dependences_.back())] = true;
        note_pieces(operation);
      }
  }

  Dependence operator[](std::uint32_t operation) const { return dependences_[operation]; }
  // Whether any operation has this dependence.
  bool any(Dependence dependence) const { return any_[static_cast<std::size_t>(dependence)]; }
  // For operations that scatter or gather: returns the item's piece, and its stretch within that
  // piece.
  std::pair<std::size_t, std::size_t> piece_of(const PartOperations::Item& item) const {
    const std::vector<std::uint32_t>& ends = pieces_.at(item.operation);
    const auto at = std::upper_bound(ends.begin(), ends.end(), item.stretch);
    return {static_cast<std::size_t>(at - ends.begin()),
            item.stretch - (at == ends.begin() ? 0 : *std::prev(at))};
  }

 private:
  void note_pieces(const Operation& operation) {
    const Dependence dependence = dependences_.back();
    if (dependence != Dependence::kScatters && dependence != Dependence::kGathers) return;
    const bool gathers = dependence == Dependence::kGathers;
    std::size_t span = lives_.first_span(operation.id) + (gathers ? 0 : operation.reads.size());
    std::vector<std::uint32_t>& ends = pieces_[operation.id];
    for (std::size_t i = (gathers ? operation.reads : operation.writes).size(); i > 0; --i)
      ends.push_back((ends.empty() ? 0 : ends.back()) + partition_.count(span++));
  }

  std::vector<Dependence> dependences_;                                   // by operation
  std::array<bool, 5> any_{};                                             // by dependence
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> pieces_;  // by operation
};

}  // namespace convoy::plan::check
