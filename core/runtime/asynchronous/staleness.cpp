#include "core/runtime/asynchronous/staleness.hpp"

namespace convoy::runtime {

StalenessMeter::StalenessMeter(const plan::Plan& lowered, const plan::Schedule& local)
    : strands_(local.strands), seen_(local.strands.count) {
  for (const std::uint32_t i : local.submission)
    if ((lowered.body[i].flags & CONVOY_OP_ANY_ORDER) != 0) add_update(i, lowered.body[i]);
  for (const std::uint32_t i : local.submission)
    if ((lowered.body[i].flags & CONVOY_OP_RELAXED_READS) != 0) add_read(i, lowered.body[i]);
}

StalenessMeter::Part& StalenessMeter::part_of(std::uint32_t operation) {
  Part& part = parts_[operation];
  part.strand = strands_[operation];
  return part;
}

// Strands update the same ranges, one after the other, so there are as many cells as one strand
// updates.
std::uint32_t StalenessMeter::cell_of(const plan::PlanSpan& span) {
  for (std::uint32_t i = 0; i < cells_.size(); ++i)
    if (plan::same_span(cells_[i].span, span)) return i;
  cells_.push_back({span, 0, std::vector<std::deque<std::uint64_t>>(strands_.count)});
  return static_cast<std::uint32_t>(cells_.size() - 1);
}

void StalenessMeter::add_update(std::uint32_t operation, const plan::Operation& what) {
  for (const plan::PlanSpan& span : what.writes)
    part_of(operation).updates.push_back(cell_of(span));
}

void StalenessMeter::add_read(std::uint32_t operation, const plan::Operation& what) {
  const std::uint64_t reader = std::uint64_t{strands_[operation]} << 32 | what.phase;
  for (const plan::PlanSpan& span : what.reads)
    for (std::uint32_t i = 0; i < cells_.size(); ++i)
      if (plan::overlap(cells_[i].span, span) && readers_.try_emplace({i, reader}, true).second)
        part_of(operation).reads.push_back(i);
}

// In each strand, reads and updates of a cell alternate, so the oldest read belongs to this update.
void StalenessMeter::begins(std::uint32_t operation) {
  const auto found = parts_.find(operation);
  if (found == parts_.end()) return;
  const Part& part = found->second;
  for (const std::uint32_t i : part.reads)
    cells_[i].read_at[part.strand].push_back(cells_[i].updates);
  for (const std::uint32_t i : part.updates) {
    std::deque<std::uint64_t>& reads = cells_[i].read_at[part.strand];
    if (!reads.empty()) {
      ++seen_[part.strand][cells_[i].updates - reads.front()];
      reads.pop_front();
    }
    ++cells_[i].updates;
  }
}

void StalenessMeter::forget() {
  for (Staleness& strand : seen_) strand.clear();
}

}  // namespace convoy::runtime
