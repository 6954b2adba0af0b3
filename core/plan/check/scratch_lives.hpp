#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/plan.hpp"

namespace convoy::check {

// Memories of a plan: its buffers, but scratch memory that holds one thing and later another
// counts as several. A life ends where nothing is read any more before it is written again, so
// what lives later has nothing to do with it. Buffers in the arena's numbers stay whole.
class ScratchLives {
 public:
  explicit ScratchLives(const Plan& plan);

  std::size_t memories() const { return buffers_.size(); }
  std::uint32_t buffer(std::uint32_t memory) const { return buffers_[memory]; }
  // Spans of all operations, by their ids, each operation's reads before its writes.
  std::size_t spans() const { return memories_.size(); }
  std::size_t first_span(std::uint32_t operation) const { return first_spans_[operation]; }
  std::uint32_t memory(std::size_t span) const { return memories_[span]; }

 private:
  void divide(const std::vector<Operation>& section);

  const Plan& plan_;
  std::vector<std::uint32_t> buffers_;    // by memory
  std::vector<std::size_t> first_spans_;  // by operation
  std::vector<std::uint32_t> memories_;   // by span
};

}  // namespace convoy::check
