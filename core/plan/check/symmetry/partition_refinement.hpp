#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/plan/check/symmetry/dependence.hpp"
#include "core/plan/check/symmetry/scratch_live_ranges.hpp"
#include "core/plan/plan.hpp"

namespace convoy::plan::check {

// A sorted list of numbers, of which many are added several times and most in ascending order.
class Cuts {
 public:
  void add(std::uint64_t at);
  const std::vector<std::uint64_t>& sorted();
  // The same list. Requires that nothing was added after sorted().
  const std::vector<std::uint64_t>& known() const { return all_; }
  std::size_t index(std::uint64_t at) const;

 private:
  void tidy();

  std::vector<std::uint64_t> all_;
  mutable std::uint32_t found_ = 0;  // the last result: most queries repeat the last one or follow
                                     // it
  std::uint32_t tidy_ = 0;           // the number of entries when the list was last tidied
  bool sorted_ = true;
};

// Partition refinement: cuts memories until every operation finds all its spans cut in the same
// way. Memories of one space are cut together. Space 0 is the arena; every other space is a single
// memory.
class PartitionRefinement {
 public:
  PartitionRefinement(const Plan& plan, const ScratchLiveRanges& lives,
                      const std::vector<std::uint32_t>& space_of_memory, std::size_t spaces);

  // Returns false if there would be very many cuts.
  bool cut();

  std::size_t spaces() const { return spaces_.size(); }
  // Returns the cuts in ascending order, with both ends of the space.
  std::span<const std::uint64_t> of(std::size_t space) const {
    const Space& it = spaces_[space];
    return it.cuts == kWhole ? std::span<const std::uint64_t>(it.ends) : cuts_[it.cuts].known();
  }
  // Returns the index of a cut.
  std::size_t index(std::size_t space, std::uint64_t at) const {
    const Space& it = spaces_[space];
    return it.cuts == kWhole ? (at == 0 ? 0 : 1) : cuts_[it.cuts].index(at);
  }

 private:
  static constexpr std::uint32_t kWhole = 0xffffffffu;
  // Scratch memory that is always used as a whole, of which there may be millions, has no inner
  // cuts.
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
  std::vector<std::uint64_t> inside_;  // the inner cuts of one operation, in its own numbers
  bool changed_ = false;
};

}  // namespace convoy::plan::check
