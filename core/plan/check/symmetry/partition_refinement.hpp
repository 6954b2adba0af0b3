#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/plan/check/symmetry/dependence.hpp"
#include "core/plan/check/symmetry/scratch_live_ranges.hpp"
#include "core/plan/plan.hpp"

namespace convoy::plan::check {

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
  mutable std::uint32_t found_ = 0;  // last: most questions come again, or go on behind it
  std::uint32_t tidy_ = 0;           // so many there were when it was last tidied
  bool sorted_ = true;
};

// Partition refinement: cuts memories until every operation finds all its spans cut in the same
// way. Memories of one space are cut together; space 0 is the arena, every other one a memory of
// its own.
class PartitionRefinement {
 public:
  PartitionRefinement(const Plan& plan, const ScratchLiveRanges& lives,
                      const std::vector<std::uint32_t>& space_of_memory, std::size_t spaces);

  // False when there would be very many.
  bool cut();

  std::size_t spaces() const { return spaces_.size(); }
  // In ascending order, with both ends of the space.
  std::span<const std::uint64_t> of(std::size_t space) const {
    const Space& it = spaces_[space];
    return it.cuts == kWhole ? std::span<const std::uint64_t>(it.ends) : cuts_[it.cuts].known();
  }
  // Which of them this one is.
  std::size_t index(std::size_t space, std::uint64_t at) const {
    const Space& it = spaces_[space];
    return it.cuts == kWhole ? (at == 0 ? 0 : 1) : cuts_[it.cuts].index(at);
  }

 private:
  static constexpr std::uint32_t kWhole = 0xffffffffu;
  // Scratch memory that is used as a whole, of which there may be millions, has no cuts inside.
  struct Space {
    std::uint64_t ends[2] = {0, 0};
    std::uint32_t cuts = kWhole;  // index into cuts_
  };

  void add(std::size_t space, std::uint64_t at);
  void begin_spaces();
  std::size_t count_cuts();
  void add_ends(const Operation& operation);
  void spread(const Operation& operation);
  template <typename Visit>
  void for_each_span(const Operation& operation, Dependence dependence, Visit visit);
  void collect(const PlanSpan& span, std::size_t number, std::uint64_t offset, bool is_piece);
  void cut_alike(const PlanSpan& span, std::size_t number, std::uint64_t offset);

  const Plan& plan_;
  const ScratchLiveRanges& lives_;
  const std::vector<std::uint32_t>& space_;
  std::vector<Space> spaces_;
  std::vector<Cuts> cuts_;
  std::vector<std::uint64_t> inside_;  // of one operation, in its own numbers
  bool changed_ = false;
};

}  // namespace convoy::plan::check
