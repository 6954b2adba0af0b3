#include "core/network/stop_schedule.hpp"

#include <algorithm>

namespace convoy::network {

StopAnswer StopSchedule::consider(const StopProposal& proposal) {
  entries_.push_back({{proposal.stop, proposal.reason}});
  return {proposal.stop};
}

void StopSchedule::agree(const StopAgreed& agreed) {
  for (Entry& entry : entries_)
    if (entry.stop.stop == agreed.stop) entry.agreed = true;
}

std::optional<AgreedStop> StopSchedule::agreed() const {
  const auto entry = std::ranges::find_if(entries_, &Entry::agreed);
  return entry == entries_.end() ? std::nullopt : std::optional(entry->stop);
}

void StopSchedule::finish(std::int64_t stop) {
  std::erase_if(entries_, [&](const Entry& entry) { return entry.stop.stop == stop; });
}

}  // namespace convoy::network
