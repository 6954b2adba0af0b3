#include "core/cli/show/simulation_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace convoy {
namespace {

// Rows of one link: a transfer takes the first one that is free.
class LinkRows {
 public:
  std::size_t take(double start, double end) {
    const auto row = std::find_if(free_from_.begin(), free_from_.end(),
                                  [&](double since) { return since <= start; });
    const auto index = static_cast<std::size_t>(row - free_from_.begin());
    if (row == free_from_.end())
      free_from_.push_back(end);
    else
      *row = end;
    return index;
  }

 private:
  std::vector<double> free_from_;
};

}  // namespace

std::vector<TraceEvent> simulation_trace(const job::SimulatedRun& count) {
  std::vector<simulate::SimulatedOperation> operations = count.prediction.step->operations;
  std::stable_sort(operations.begin(), operations.end(),
                   [](const auto& a, const auto& b) { return a.start < b.start; });
  std::vector<TraceEvent> events;
  std::vector<TraceEvent> transfers;
  std::map<std::uint32_t, LinkRows> rows;
  for (const simulate::SimulatedOperation& it : operations) {
    const Operation& operation = count.plan->lowered().body[it.operation];
    const Place& place = count.on->cluster.places[operation.place];
    TraceEvent event;
    event.name = operation_name(operation.kind);
    event.operation = operation.id;
    event.lane = lane_name(operation.lane);
    event.device = place.name;
    event.start_seconds = it.start;
    event.duration_seconds = it.end - it.start;
    event.category = "simulated";
    events.push_back(event);
    for (const std::uint32_t link : it.links) {
      const std::size_t row = rows[link].take(it.start, it.end);
      event.lane = count.on->machine.links[link].name;
      if (row > 0) event.lane += fmt::format(" ({})", row + 1);
      event.device = "links";
      transfers.push_back(event);
    }
  }
  events.insert(events.end(), transfers.begin(), transfers.end());
  return events;
}

}  // namespace convoy
