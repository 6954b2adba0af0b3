#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/plan.hpp"

namespace convoy::plan::check {

// The memories of a plan: the buffers that it uses. Scratch memory that is reused for independent
// contents counts as several memories, one for each live range. A live range ends when the contents
// are not read again before the next write. Buffers in the arena's numbers stay whole.
class ScratchLiveRanges {
 public:
  explicit ScratchLiveRanges(const Plan& plan);

  std::size_t memories() const { return buffers_.size(); }
  std::uint32_t buffer(std::uint32_t memory) const { return buffers_[memory]; }
  // The number of spans of all operations. They are ordered by the operations' ids, each
  // operation's reads before its writes.
  std::size_t spans() const { return memories_.size(); }
  std::size_t first_span(std::uint32_t operation) const { return first_spans_[operation]; }
  std::uint32_t memory(std::size_t span) const { return memories_[span]; }

 private:
  void number_whole_buffers();
  void divide(const std::vector<Operation>& section);

  const Plan& plan_;
  std::vector<std::uint32_t> buffers_;    // by memory
  std::vector<std::size_t> first_spans_;  // by operation
  std::vector<std::uint32_t> memories_;   // by span; before they are numbered: buffers
};

}  // namespace convoy::plan::check
