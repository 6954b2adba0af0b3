#pragma once

#include <cstdint>
#include <span>

#include "core/plan/check/symmetry/part_dependences.hpp"
#include "core/plan/check/symmetry/part_memory.hpp"
#include "core/plan/check/symmetry/part_operations.hpp"
#include "core/plan/check/symmetry/part_passes.hpp"

namespace convoy::plan::check {

// The position of a run in a part's period: before this item and this event.
struct RunPosition {
  std::size_t item = 0;
  std::size_t event = 0;
};

// The periods of parts often have a common prefix: the passes and updates of the whole arena are
// the same for every slice of a later collective. So a part continues from the state that an
// earlier part reached by the same operations. Processes one part after the other, like memory and
// passes.
class PrefixCache : public PartitionedPlan {
 public:
  PrefixCache(const PartitionedPlan& plan, const PartDependences& dependences, PartMemory& memory,
              PartPasses& passes)
      : PartitionedPlan(plan), dependences_(dependences), memory_(memory), passes_(passes) {}

  // Begins the period of a part that memory and passes have entered. If the kept prefix is also a
  // prefix of this period, restores memory, passes and result, and returns where the prefix ends.
  RunPosition begin(std::span<const PartOperations::Item> items, std::uint32_t leader,
                    Fingerprint& result);
  // The item before which keep() must be called; 0: none.
  std::size_t kept_at() const { return kept_at_; }
  void keep(const RunPosition& place, const Fingerprint& result);

 private:
  struct Period {
    std::span<const PartOperations::Item> items;
    std::uint32_t leader = 0;
    const PartPasses::Group* passes = nullptr;  // null: they are of several groups or stretches
  };

  static std::size_t common_items(const Period& a, const Period& b);
  std::size_t matching_items(const Period& a, const Period& b) const;
  bool does_the_same(const Operation& operation) const;

  const PartDependences& dependences_;
  PartMemory& memory_;
  PartPasses& passes_;
  Period last_;  // the period that was begun last
  std::size_t kept_at_ = 0;
  // The kept prefix of a period.
  Period kept_;
  RunPosition place_;
  Fingerprint result_;
  PartMemory::Held held_;
  PartPasses::AllProgress progress_;
};

}  // namespace convoy::plan::check
