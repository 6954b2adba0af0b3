#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/check/reach.hpp"
#include "core/plan/check/scratch_lives.hpp"
#include "core/plan/plan.hpp"

namespace convoy::check {

// Numbers in ascending order, of which many come several times and most in order.
class Cuts {
 public:
  void add(std::uint64_t at);
  const std::vector<std::uint64_t>& sorted();
  // The same after sorted(), when nothing was added since.
  const std::vector<std::uint64_t>& known() const { return all_; }
  std::size_t index(std::uint64_t at) const;

 private:
  void tidy();

  std::vector<std::uint64_t> all_;
  mutable std::size_t found_ = 0;  // last: most questions come again, or go on behind it
  bool sorted_ = true;
  std::size_t tidy_ = 0;  // so many there were when it was last tidied
};

// Cuts memories such that every operation finds all its spans cut alike. Memories of one space are
// cut together; space 0 is the arena.
class StretchCuts {
 public:
  StretchCuts(const Plan& plan, const ScratchLives& lives,
              const std::vector<std::uint32_t>& space_of_memory, std::size_t spaces);

  // False when there would be very many.
  bool cut();

  std::size_t spaces() const { return cuts_.size(); }
  const Cuts& of(std::size_t space) const { return cuts_[space]; }

 private:
  void add_ends(const Operation& operation);
  void spread(const Operation& operation);
  template <typename Visit>
  void for_each_span(const Operation& operation, Reach reach, Visit visit);
  void collect(const PlanSpan& span, std::size_t number, std::uint64_t offset, bool is_piece);
  void cut_alike(const PlanSpan& span, std::size_t number, std::uint64_t offset);

  const Plan& plan_;
  const ScratchLives& lives_;
  const std::vector<std::uint32_t>& space_;
  std::vector<Cuts> cuts_;
  std::vector<std::uint64_t> inside_;  // of one operation, in its own numbers
  bool changed_ = false;
};

}  // namespace convoy::check
