#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/plan/check/symmetry/fingerprint_hasher.hpp"
#include "core/plan/check/symmetry/memory_partition.hpp"

namespace convoy::plan::check {

// The contents of the memory of one part, as fingerprints, and fingerprints that identify the
// memory itself within the part. For one part after the other.
class PartMemory : public PartitionedPlan {
 public:
  struct Cell {
    Fingerprint value;
    Fingerprint state;  // of the optimizer
    std::uint64_t epoch = 0;
  };

  // Contents of memory in the arena's numbers, in parts with one stretch of the arena.
  struct Held {
    std::vector<std::uint32_t> memories;
    std::vector<Cell> cells;
  };

  explicit PartMemory(const PartitionedPlan& plan);

  // The arena's stretches of the part, ascending, and the replica that has the first one's role.
  // False when there would be very much memory.
  bool enter(std::uint32_t part, std::span<const std::uint32_t> arena, std::uint32_t leader);
  // Begins a prologue, with what memory holds at first, or a period, in which every memory holds
  // its own fingerprint (`held`).
  void begin(bool held);
  // All contents since it began, where only such memory was used.
  Held held() const;
  // Continues as if these were the contents.
  void hold(const Held& contents);

  Cell& cell(std::uint32_t memory, std::uint32_t stretch);
  // The sum of the fingerprints of all contents that differ from those at the beginning, except in
  // scratch memory.
  Fingerprint fingerprint_of_changes();

  std::uint32_t role(std::uint32_t replica) const {
    return replica == leader_ ? 0 : replica == 0 ? leader_ : replica;
  }
  // The number of a stretch of the arena among those of the part.
  std::uint32_t local(std::uint32_t stretch) const { return partition_.position(stretch); }

 private:
  struct Touched {
    std::uint32_t memory = 0;
    std::uint32_t stretch = 0;
  };
  struct Numbered {
    std::uint32_t part = 0;  // that number is of, and 1
    std::uint32_t number = 0;
  };
  // What identifies a memory, and its initial contents.
  struct Codes {
    Fingerprint own;
    Fingerprint value;
    Fingerprint state;
    bool known = false;
  };

  const Codes& codes(std::uint32_t memory, std::uint32_t stretch);
  Codes make_codes(std::uint32_t memory, std::uint32_t stretch);
  Fingerprint code(std::uint32_t memory, std::uint32_t stretch);
  std::uint32_t number(Numbered& of);

  std::vector<std::size_t> arena_numbers_;  // by memory
  std::size_t arena_memories_ = 0;
  std::vector<Cell> cells_;        // by position
  std::vector<Numbered> numbers_;  // by position: its appearance in the part, from 1
  std::vector<Numbered> master_numbers_;
  // Most parts have one stretch of the arena, with the same codes in each part: by role and set of
  // parameters or gradients, for prologues and for periods.
  std::array<std::vector<Codes>, 2> first_codes_;
  std::vector<std::uint32_t> families_;  // by memory: where its family begins there, by role
  Codes other_codes_;
  std::vector<Cell> arena_cells_;  // by arena memory and local stretch
  std::vector<Touched> touched_;
  std::uint64_t epoch_ = 0;
  std::uint32_t part_ = 0;
  std::uint32_t leader_ = 0;
  std::uint32_t appeared_ = 0;
  bool held_ = false;
  std::span<const std::uint32_t> arena_;
};

}  // namespace convoy::plan::check
