#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/plan/check/stretches.hpp"
#include "core/plan/check/values.hpp"

namespace convoy::check {

// What the prologue and one period make of each part of the memory, and what forwards read of it,
// as a fingerprint: a run on names instead of numbers. Names of memory are those within the part,
// and sums do not depend on their order, so parts with equal fingerprints fare alike but for their
// places, and for two replicas that may have changed roles: whatever is true of the one is true of
// the other.
class PartFates {
 public:
  PartFates(const Plan& plan, const ScratchLives& lives, const Stretches& stretches);
  ~PartFates();

  // By part; none when forwards and backwards do not come in regular passes over the whole arena.
  std::optional<std::vector<Fingerprint>> find();

 private:
  class Run;

  // An operation on the stretch-th of its stretches; of some, on all of them.
  struct Item {
    std::uint32_t operation = 0;
    std::uint32_t stretch = 0;
  };
  // A forward or backward.
  struct Pass {
    std::uint32_t operation = 0;
    std::uint64_t compute = 0;  // of the replica, in the period
    Fingerprint how = {};       // of what else there is to say of it
  };

  bool find_passes();
  void sort_items();
  void sort_stretches();

  const Plan& plan_;
  const ScratchLives& lives_;
  const Stretches& stretches_;
  std::vector<Pass> passes_;
  std::vector<std::size_t> first_items_;  // by part
  std::vector<Item> items_;
  std::vector<std::size_t> first_stretches_;  // of the arena, by part
  std::vector<std::uint32_t> arena_stretches_;
};

}  // namespace convoy::check
