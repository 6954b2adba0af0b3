#include "core/job/simulation/simulated_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace convoy::job {
namespace {

// Assigns the rows of one link: a transfer takes the first row that is free.
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

std::vector<simulate::SimulatedOperation> by_start(const simulate::SimulationResult& step) {
  std::vector<simulate::SimulatedOperation> operations = step.operations;
  std::ranges::stable_sort(operations, {}, &simulate::SimulatedOperation::start);
  return operations;
}

report::TraceEvent event_of(const plan::Plan& lowered, const simulate::SimulatedCluster& on,
                            const simulate::SimulatedOperation& it) {
  const plan::Operation& operation = lowered.body[it.operation];
  report::TraceEvent event;
  event.name = plan::operation_name(operation.kind);
  event.operation = operation.id;
  event.lane = plan::lane_name(operation.lane);
  event.device = on.cluster.places[operation.place].name;
  event.start_seconds = it.start;
  event.duration_seconds = it.end - it.start;
  event.category = "simulated";
  return event;
}

}  // namespace

report::TimelineRecord simulated_timeline(const plan::Plan& lowered,
                                          const simulate::SimulatedCluster& on,
                                          const simulate::SimulationResult& step) {
  report::TimelineRecord timeline{0, step.step_seconds, {}};
  for (const simulate::SimulatedOperation& it : by_start(step))
    timeline.events.push_back(event_of(lowered, on, it));
  return timeline;
}

std::vector<report::TraceEvent> simulated_trace(const plan::Plan& lowered,
                                                const simulate::SimulatedCluster& on,
                                                const simulate::SimulationResult& step) {
  std::vector<report::TraceEvent> events = simulated_timeline(lowered, on, step).events;
  std::map<std::uint32_t, LinkRows> rows;
  for (const simulate::SimulatedOperation& it : by_start(step)) {
    for (const std::uint32_t link : it.links) {
      const std::size_t row = rows[link].take(it.start, it.end);
      report::TraceEvent event = event_of(lowered, on, it);
      event.lane = on.machine.links[link].name;
      if (row > 0) event.lane += fmt::format(" ({})", row + 1);
      event.device = "links";
      events.push_back(std::move(event));
    }
  }
  return events;
}

}  // namespace convoy::job
