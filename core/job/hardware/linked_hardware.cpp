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

// Returns the values of all links except those from a task to itself, sorted.
template <typename Value>
std::vector<double> of_links(const Links& links, Value value) {
  std::vector<double> values;
  for (std::size_t from = 0; from < links.size(); ++from)
    for (std::size_t to = 0; to < links[from].size(); ++to)
      if (from != to) values.push_back(value(links[from][to]));
  std::ranges::sort(values);
  return values;
}

// Returns the time of one message: half of a round trip.
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
  const std::vector<double> both =
      of_links(links, [](const MeasuredLink& it) { return it.both_ways_bytes_per_second; });
  return fmt::format("{}{} GB/s ({:.3g} both ways) and {:.0f} us per message", least,
                     least == most ? "" : " to " + most, both.at(both.size() / 2) / 1e9,
                     1e6 * message_seconds(links));
}

// Returns the processor time for a byte that the task sends or receives: the mean over its links,
// because it may use all of them.
double processor_seconds_per_byte(const std::vector<MeasuredLink>& links, std::uint32_t own) {
  if (links.size() < 2) return 0;
  double sum = 0;
  for (std::uint32_t peer = 0; peer < links.size(); ++peer)
    if (peer != own) sum += links[peer].processor_seconds_per_byte;
  return sum / static_cast<double>(links.size() - 1);
}

// Ranks are the numbers of hosts. Every worker is assumed to compute on as many cores as this one.
std::vector<simulate::SimulatedProcessor> processors(const Setup& setup,
                                                     const SimulatedHardware& hardware) {
  const Task& task = *setup.task;
  const std::uint32_t threads = setup.options.threads_per_device * task.devices_per_worker();
  std::vector<simulate::SimulatedProcessor> all;
  for (const Task::SharedCores& machine : task.machines()) {
    simulate::SimulatedProcessor it;
    it.cores = machine.cores;
    for (const std::uint32_t rank : machine.ranks) {
      const bool computes = hardware.on_host_processors && rank < task.workers();
      it.hosts.push_back(
          {.host = rank,
           .computing_cores = !computes     ? 0.0
                              : threads > 0 ? threads
                                            : it.cores,
           .seconds_per_byte = processor_seconds_per_byte(task.measured_links()[rank], rank)});
    }
    all.push_back(std::move(it));
  }
  return all;
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
  std::vector<std::vector<simulate::LinkRates>> rates;
  for (const std::vector<MeasuredLink>& from : task.measured_links()) {
    rates.emplace_back();
    for (const MeasuredLink& link : from)
      rates.back().push_back({link.bytes_per_second, link.both_ways_bytes_per_second});
  }
  return simulate::join_hosts(hardware.cluster(1, task.devices_per_worker()), task.cluster(), rates,
                              processors(setup, hardware));
}

SimulatedTarget linked_target(const Setup& setup, const SimulatedHardware& hardware) {
  return {linked_cluster(setup, hardware),
          target_on_devices(setup, setup.task->devices_per_worker()).arena};
}

}  // namespace convoy::job
