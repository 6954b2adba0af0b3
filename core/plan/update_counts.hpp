#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/plan/plan.hpp"

namespace convoy::plan {

// Counts the updates (applies) that the elements of a plan's buffers have received. Adam corrects
// its moments by this number. Elements that every update changes together share a count.
class UpdateCounts {
 public:
  struct Cell {
    ElementRange range{};
    std::uint64_t updates = 0;
  };

  // Makes counts for the updates of all prologues and bodies of a plan. All counts are 0.
  explicit UpdateCounts(const Plan& plan);

  // Counts one of these updates. Returns how many updates its elements have received before. The
  // number is the same for all of them, because lower() cuts updates.
  std::uint64_t count(const Operation& update) { return count(update, 1); }
  // Counts all updates of a stage that is not the last one: those of its prologue, and those of its
  // body in every period until the next stage begins.
  void count_stage(const Plan& plan, std::size_t stage);
  // The cells of a buffer, or of an update's span, in ascending order.
  std::span<Cell> cells(std::uint32_t buffer) {
    return {cells_.data() + firsts_.at(buffer), firsts_.at(buffer + 1) - firsts_.at(buffer)};
  }
  std::span<Cell> cells_of(const PlanSpan& span);
  // Whether the plan has at most one update of each element.
  bool are_of_one_update() const { return are_of_one_update_; }
  // The largest of all counts.
  std::uint64_t most() const;
  // Sets all counts.
  void fill(std::uint64_t updates);

 private:
  std::uint64_t count(const Operation& update, std::uint64_t times);

  std::vector<Cell> cells_;          // buffer after buffer
  std::vector<std::size_t> firsts_;  // per buffer: its first cell; and the end of all cells
  bool are_of_one_update_ = true;
};

}  // namespace convoy::plan
