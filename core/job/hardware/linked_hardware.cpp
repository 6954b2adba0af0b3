#include "core/job/hardware/linked_hardware.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/job/hardware/run_hardware.hpp"
#include "core/job/tasks/task.hpp"
#include "core/simulate/machine/joined_hosts.hpp"

namespace convoy::job {
namespace {

using Links = std::vector<std::vector<MeasuredLink>>;

// All but those of tasks to themselves.
template <typename Value>
std::vector<double> of_links(const Links& links, Value value) {
  std::vector<double> values;
  for (std::size_t from = 0; from < links.size(); ++from)
    for (std::size_t to = 0; to < links[from].size(); ++to)
      if (from != to) values.push_back(value(links[from][to]));
  std::ranges::sort(values);
  return values;
}

// Of one message: half of a round trip.
double message_seconds(const Links& links) {
  const std::vector<double> seconds =
      of_links(links, [](const MeasuredLink& it) { return it.round_trip_seconds / 2; });
  return seconds.at(seconds.size() / 2);
}

std::string links_text(const Links& links) {
  const std::vector<double> rates =
      of_links(links, [](const MeasuredLink& it) { return it.bytes_per_second; });
  const std::string least = fmt::format("{:.3g}", rates.front() / 1e9);
  const std::string most = fmt::format("{:.3g}", rates.back() / 1e9);
  return fmt::format("{}{} GB/s and {:.0f} us per message", least,
                     least == most ? "" : " to " + most, 1e6 * message_seconds(links));
}

}  // namespace

SimulatedHardware linked_hardware(Setup& setup) {
  CONVOY_CHECK(setup.task != nullptr);
  const Task& task = *setup.task;
  SimulatedHardware hardware = hardware_of_run(setup);
  hardware.hosts = task.workers();
  hardware.name = fmt::format("{} tasks, on links of {}, like this one", task.tasks(),
                              links_text(task.measured_links()));
  hardware.software.rpc_seconds = message_seconds(task.measured_links());
  return hardware;
}

simulate::SimulatedCluster linked_cluster(const Setup& setup, const SimulatedHardware& hardware) {
  const Task& task = *setup.task;
  std::vector<std::vector<double>> rates;
  for (const std::vector<MeasuredLink>& from : task.measured_links()) {
    rates.emplace_back();
    for (const MeasuredLink& link : from) rates.back().push_back(link.bytes_per_second);
  }
  return simulate::join_hosts(hardware.cluster(1, task.devices_per_worker()), task.cluster(),
                              rates);
}

SimulatedTarget linked_target(const Setup& setup, const SimulatedHardware& hardware) {
  return {linked_cluster(setup, hardware),
          target_on_devices(setup, setup.task->devices_per_worker()).arena};
}

}  // namespace convoy::job
