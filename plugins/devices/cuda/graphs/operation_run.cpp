#include "plugins/devices/cuda/graphs/operation_run.hpp"

#include <algorithm>

namespace convoy::cuda {

// A wait names the value that an operation reaches. A lower value belongs to an earlier step.
std::optional<std::size_t> OperationRun::find(const convoy_wait& wait) const {
  const auto found = points_.find(wait.timeline);
  if (found == points_.end()) return std::nullopt;
  const auto point = std::find_if(found->second.begin(), found->second.end(),
                                  [&](const auto& it) { return it.first == wait.value; });
  if (point == found->second.end()) return std::nullopt;
  return point->second;
}

// Operations are added in an order in which they may run: an operation's waits were added before
// it.
void OperationRun::add(const convoy_submission& operation) {
  const std::size_t place = operations_.size();
  links_.emplace_back();
  for (std::uint64_t i = 0; i < operation.wait_count; ++i) {
    const convoy_wait& wait = operation.waits[i];
    const std::optional<std::size_t> inside = find(wait);
    if (!inside)
      (place == 0 ? leading_ : later_).push_back(wait);
    else if (operations_[*inside]->lane != operation.lane)
      links_.back().push_back(*inside);
  }
  operations_.push_back(&operation);
  points_[operation.timeline].emplace_back(operation.value, place);
  if (std::find(lanes_.begin(), lanes_.end(), operation.lane) == lanes_.end())
    lanes_.push_back(operation.lane);
}

}  // namespace convoy::cuda
