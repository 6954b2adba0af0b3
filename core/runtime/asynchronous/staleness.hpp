#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "core/plan/schedule/schedule.hpp"

namespace convoy::runtime {

// Maps a number of updates to how often it occurred. It is the number of updates of a range between
// a strand's read of the range and the start of the strand's own update.
using Staleness = std::map<std::uint64_t, std::uint64_t>;

// Counts ANY_ORDER updates, and relaxed reads of the updated elements, as they begin on this host.
class StalenessMeter {
 public:
  StalenessMeter(const plan::Plan& lowered, const plan::Schedule& local);

  // An operation of the body begins. Other kinds of operations are ignored.
  void begins(std::uint32_t operation);
  // The counts per strand, since the beginning or the last forget().
  const std::vector<Staleness>& seen() const { return seen_; }
  void forget();

 private:
  // A range that updates change as a whole.
  struct Cell {
    plan::PlanSpan span;
    std::uint64_t updates = 0;
    std::vector<std::deque<std::uint64_t>> read_at;  // per strand: reads without their update yet
  };
  // The roles of an operation: the cells that it updates and reads, by index.
  struct Part {
    std::vector<std::uint32_t> updates;
    std::vector<std::uint32_t> reads;  // only the first reader of its strand and phase
    std::uint32_t strand = 0;
  };

  std::uint32_t cell_of(const plan::PlanSpan& span);
  void add_update(std::uint32_t operation, const plan::Operation& what);
  void add_read(std::uint32_t operation, const plan::Operation& what);
  Part& part_of(std::uint32_t operation);

  const plan::Strands& strands_;
  std::vector<Cell> cells_;
  std::map<std::uint32_t, Part> parts_;  // by operation
  // By strand, phase and cell: whether the cell has a reader already.
  std::map<std::pair<std::uint32_t, std::uint64_t>, bool> readers_;
  std::vector<Staleness> seen_;
};

}  // namespace convoy::runtime
