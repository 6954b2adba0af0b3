#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/plan/check/symmetry/fingerprint_hasher.hpp"
#include "core/plan/check/symmetry/memory_partition.hpp"

namespace convoy::plan::check {

// The contents of the memory of one part, as fingerprints, and fingerprints that identify the
// memory itself within the part. Processes one part after the other.
class PartMemory : public PartitionedPlan {
 public:
  struct Cell {
    Fingerprint value;
    Fingerprint state;  // optimizer state
    std::uint64_t epoch = 0;
  };

  // Contents of memory that is numbered as the arena, in parts with one stretch of the arena.
  struct Held {
    std::vector<std::uint32_t> memories;
    std::vector<Cell> cells;
  };

  explicit PartMemory(const PartitionedPlan& plan);

  // Begins a part. `arena` has its stretches of the arena, ascending; the replica `leader` has the
  // role of replica 0. Returns false if there would be very much memory.
  bool enter(std::uint32_t part, std::span<const std::uint32_t> arena, std::uint32_t leader);
  // Begins a prologue, with the initial contents of memory, or a period, in which every memory
  // holds its own fingerprint (`held`).
  void begin(bool held);
  // All contents since begin(), if only memory numbered as the arena was used.
  Held held() const;
  // Continues with these contents.
  void hold(const Held& contents);

  Cell& cell(std::uint32_t memory, std::uint32_t stretch);
  // Returns the sum of the fingerprints of all contents that differ from those at the beginning,
  // except in scratch memory.
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
    std::uint32_t part = 0;  // 1 plus the part to which the number belongs
    std::uint32_t number = 0;
  };
  // The fingerprints of a memory: its identity and its initial contents.
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
  std::vector<Numbered> numbers_;  // by position: its order of appearance in the part, from 1
  std::vector<Numbered> master_numbers_;
  // Most parts have one stretch of the arena, with the same codes in each part: by role and set of
  // parameters or gradients, for prologues and for periods.
  std::array<std::vector<Codes>, 2> first_codes_;
  std::vector<std::uint32_t> families_;  // by memory: the first code of its family there; the role
                                         // is added
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
