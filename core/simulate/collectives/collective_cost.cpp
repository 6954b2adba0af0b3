#include "core/simulate/collectives/collective_cost.hpp"

#include <algorithm>

namespace convoy::simulate {

CostedTask CollectiveCost::task(const plan::Operation& operation,
                                const std::vector<std::uint32_t>& places, double bytes) {
  const CollectiveLibrary* library = options_.software.collectives.get();
  if (library == nullptr || places.size() == 1) return ring_.task(operation.kind, places, bytes);
  CollectiveModel& model =
      models_.try_emplace(places, machine_, *library, routes_, places).first->second;
  const CollectiveChoice choice = model.choose(operation.kind, operation.algorithm, bytes);
  const SimulatedDevice& device = machine_.devices[machine_.places[places.front()].device];
  CostedTask task;
  task.activity = Activity::kCollective;
  task.seconds = choice.latency_seconds;
  task.bytes = bytes;
  task.route = choice.route;
  task.limit = choice.limit;
  task.busy_limit = device.collective_progress * choice.bytes_per_second;
  task.group = routes_.add_group(places);
  task.way = note(choice);
  return task;
}

// Choices for different sizes may differ only in fields that are not shown; they share an entry.
std::uint32_t CollectiveCost::note(const CollectiveChoice& choice) {
  const auto is_alike = [&](const CollectiveChoice& it) {
    return it.algorithm == choice.algorithm && it.protocol == choice.protocol &&
           it.channels == choice.channels;
  };
  const auto found = std::find_if(choices_.begin(), choices_.end(), is_alike);
  const auto way = static_cast<std::uint32_t>(found - choices_.begin());
  if (found == choices_.end()) choices_.push_back(choice);
  return way;
}

}  // namespace convoy::simulate
