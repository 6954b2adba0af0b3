#include "core/simulate/run/processor_load.hpp"

#include <algorithm>

namespace convoy::simulate {
namespace {

// The cores that one device of the host computes on. Hosts that together want more cores than there
// are get their parts of them.
double cores_per_device(const SimulatedProcessor& processor, const SimulatedProcessor::Host& host,
                        const SimulatedMachine& machine) {
  double wanted = 0;
  for (const SimulatedProcessor::Host& it : processor.hosts) wanted += it.computing_cores;
  const auto devices = std::ranges::count_if(machine.places, [&](const SimulatedPlace& place) {
    return place.host == host.host && place.device != CONVOY_NONE;
  });
  if (devices == 0 || wanted == 0) return 0;
  return host.computing_cores / static_cast<double>(devices) *
         std::min(1.0, processor.cores / wanted);
}

}  // namespace

double busy_seconds(const SimulatedProcessor& processor, const TaskGraph& graph,
                    const RunTimes& times, const SimulatedMachine& machine) {
  std::vector<double> cores(machine.places.size(), 0);  // per place: the cores that its work takes
  double seconds = 0;
  for (const SimulatedProcessor::Host& host : processor.hosts) {
    const double per_device = cores_per_device(processor, host, machine);
    for (std::size_t p = 0; p < cores.size(); ++p) {
      const SimulatedPlace& place = machine.places[p];
      if (place.host == host.host) cores[p] = place.device == CONVOY_NONE ? 1 : per_device;
    }
    seconds +=
        host.seconds_per_byte * (times.link_bytes[host.sends] + times.link_bytes[host.receives]);
  }
  for (std::size_t task = 0; task < graph.tasks.size(); ++task) {
    const Activity activity = graph.cost_of(task).activity;
    if (activity == Activity::kCopy || activity == Activity::kCollective) continue;
    seconds += cores[graph.tasks[task].place] *
               to_seconds(times.tasks[task].end - times.tasks[task].start);
  }
  return seconds / processor.cores;
}

}  // namespace convoy::simulate
