#include "core/network/stop_schedule.hpp"

#include <algorithm>

namespace convoy::network {

bool StopSchedule::submit(std::int64_t step) {
  for (const Entry& entry : entries_)
    if (entry.holds && step > entry.stop.step) return false;
  submitted_ = std::max(submitted_, step);
  return true;
}

StopAnswer StopSchedule::consider(const StopProposal& proposal) {
  auto entry = std::ranges::find_if(
      entries_, [&](const Entry& each) { return each.stop.stop == proposal.stop; });
  if (entry == entries_.end()) {
    entries_.push_back({{proposal.stop, proposal.kind, proposal.step, proposal.reason}});
    entry = std::prev(entries_.end());
  }
  const bool drain = proposal.kind == StopKind::kDrain;
  entry->stop.step = drain ? submitted_ : proposal.step;
  entry->holds = submitted_ <= entry->stop.step;
  return {proposal.stop, proposal.step, entry->holds, submitted_};
}

void StopSchedule::agree(const StopAgreed& agreed) {
  for (Entry& entry : entries_)
    if (entry.stop.stop == agreed.stop) entry.agreed = true;
}

std::optional<AgreedStop> StopSchedule::holding(std::int64_t step) const {
  for (const Entry& entry : entries_)
    if (entry.agreed && step > entry.stop.step) return entry.stop;
  return std::nullopt;
}

std::optional<AgreedStop> StopSchedule::agreed(StopKind kind) const {
  for (const Entry& entry : entries_)
    if (entry.agreed && entry.stop.kind == kind) return entry.stop;
  return std::nullopt;
}

void StopSchedule::finish(std::int64_t stop) {
  std::erase_if(entries_, [&](const Entry& entry) { return entry.stop.stop == stop; });
}

}  // namespace convoy::network
