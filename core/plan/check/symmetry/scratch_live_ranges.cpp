#include "core/plan/check/symmetry/scratch_live_ranges.hpp"

#include "core/base/process/large_pages.hpp"

namespace convoy::plan::check {
namespace {

// The elements of one scratch buffer that later operations read. The section is scanned from its
// end to its beginning.
class Live {
 public:
  bool any() const { return lost_ || !ranges_.empty(); }

  void write(const PlanSpan& span) {
    const std::uint64_t end = span.first + span.count;
    for (std::size_t i = ranges_.size(); i-- > 0;) {
      const ElementRange old = ranges_[i];
      const std::uint64_t old_end = old.first + old.count;
      if (old_end <= span.first || end <= old.first) continue;
      ranges_[i] = ranges_.back();
      ranges_.pop_back();
      if (old.first < span.first) ranges_.push_back({old.first, span.first - old.first});
      if (end < old_end) ranges_.push_back({end, old_end - end});
    }
    give_up_if_many();
  }

  void read(const PlanSpan& span) {
    for (const ElementRange& it : ranges_)
      if (it.first <= span.first && span.first + span.count <= it.first + it.count) return;
    write(span);
    for (ElementRange& it : ranges_) {
      const bool before = it.first + it.count == span.first;
      if (!before && span.first + span.count != it.first) continue;
      it = {before ? it.first : span.first, it.count + span.count};
      return;
    }
    ranges_.push_back(range_of(span));
    give_up_if_many();
  }

 private:
  static constexpr std::size_t kMost = 64;

  // If there are many ranges, treats the buffer as one memory.
  void give_up_if_many() {
    if (ranges_.size() <= kMost) return;
    lost_ = true;
    ranges_.clear();
  }

  std::vector<ElementRange> ranges_;
  bool lost_ = false;
};

}  // namespace

ScratchLiveRanges::ScratchLiveRanges(const Plan& plan) : plan_(plan) {
  std::size_t all = 0;
  for (const auto* section : {&plan.prologue, &plan.body})
    for (const Operation& operation : *section)
      all += operation.reads.size() + operation.writes.size();
  reserve_large(memories_, all);
  first_spans_.reserve(plan.prologue.size() + plan.body.size());
  for (const auto* section : {&plan.prologue, &plan.body})
    for (const Operation& operation : *section) {
      first_spans_.push_back(memories_.size());
      for (const auto* spans : {&operation.reads, &operation.writes})
        for (const PlanSpan& span : *spans) memories_.push_back(span.buffer);
    }
  number_whole_buffers();
  for (const auto* section : {&plan.prologue, &plan.body}) divide(*section);
}

// Numbers the buffers that are used and are no scratch memory.
void ScratchLiveRanges::number_whole_buffers() {
  std::vector<bool> is_used(plan_.buffers.size(), false);
  for (const std::uint32_t buffer : memories_) is_used[buffer] = true;
  std::vector<std::uint32_t> numbers(plan_.buffers.size(), CONVOY_NONE);
  for (std::uint32_t i = 0; i < numbers.size(); ++i) {
    if (!is_used[i] || plan_.buffers[i].kind == CONVOY_BUFFER_SCRATCH) continue;
    numbers[i] = static_cast<std::uint32_t>(buffers_.size());
    buffers_.push_back(i);
  }
  for (std::uint32_t& memory : memories_) memory = numbers[memory];
}

// Scans from the last operation to the first, so the scan reaches the end of a live range first.
void ScratchLiveRanges::divide(const std::vector<Operation>& section) {
  std::vector<Live> live(plan_.buffers.size());
  std::vector<std::uint32_t> current(plan_.buffers.size(), CONVOY_NONE);
  const auto is_scratch = [&](const PlanSpan& span) {
    return plan_.buffers[span.buffer].kind == CONVOY_BUFFER_SCRATCH;
  };
  const auto enter = [&](const PlanSpan& span, std::size_t at) {
    std::uint32_t& memory = current[span.buffer];
    if (memory == CONVOY_NONE) {
      memory = static_cast<std::uint32_t>(buffers_.size());
      buffers_.push_back(span.buffer);
    }
    memories_[at] = memory;
  };
  for (auto operation = section.rbegin(); operation != section.rend(); ++operation) {
    const std::size_t reads = first_spans_[operation->id];
    const std::size_t writes = reads + operation->reads.size();
    for (std::size_t i = 0; i < operation->writes.size(); ++i)
      if (is_scratch(operation->writes[i])) enter(operation->writes[i], writes + i);
    for (std::size_t i = 0; i < operation->reads.size(); ++i)
      if (is_scratch(operation->reads[i])) enter(operation->reads[i], reads + i);
    for (const PlanSpan& span : operation->writes)
      if (is_scratch(span)) live[span.buffer].write(span);
    for (const PlanSpan& span : operation->reads)
      if (is_scratch(span)) live[span.buffer].read(span);
    for (const PlanSpan& span : operation->writes)
      if (is_scratch(span) && !live[span.buffer].any()) current[span.buffer] = CONVOY_NONE;
  }
}

}  // namespace convoy::plan::check
