#include "core/plan/lower/lower_update.hpp"

#include <algorithm>

namespace convoy {

void lower_update(Lowering& lowering, const Operation& update) {
  if (update.writes.size() == 1) return lowering.at_place(update, update.place);
  std::vector<std::uint32_t> owners;
  for (const PlanSpan& span : update.writes) {
    const std::uint32_t owner = lowering.engines(lowering.place_of(span)).front();
    if (std::find(owners.begin(), owners.end(), owner) == owners.end()) owners.push_back(owner);
  }
  const std::uint64_t count = update.writes.front().count;
  const bool small = count < lowering.options().slice_elements * owners.size();
  const std::vector<ElementRange> parts = slices(count, small ? 1 : owners.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t owner = small ? update.source % owners.size() : i;
    lowering.emit(slice(update, parts[i].first, parts[i].count), owners[owner], CONVOY_LANE_UPDATE);
  }
}

}  // namespace convoy
