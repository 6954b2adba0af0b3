#include "core/job/hardware/described_hosts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "core/base/error.hpp"
#include "core/base/text/counted.hpp"
#include "core/base/text/number.hpp"
#include "core/job/limits.hpp"
#include "core/network/host_port.hpp"
#include "topology/catalogue/platform.hpp"

namespace convoy::job {
namespace {

// Returns the names without ports: "a:2222,b:2222" gives a, b.
std::vector<std::string> machine_names(const std::string& flag, const std::string& text) {
  std::vector<std::string> names;
  for (const network::HostPort& task :
       network::parse_host_list(text, "--" + flag, network::Ports::kOptional))
    names.push_back(task.host);
  return names;
}

std::uint32_t require_hosts(const std::string& source, std::int64_t hosts) {
  if (hosts < 1 || hosts > kMostHosts)
    fail(ExitCode::kUsage, "{}: it must be from 1 to {} hosts", source, kMostHosts);
  return static_cast<std::uint32_t>(hosts);
}

std::vector<std::string> worker_names(const MachineOptions& machine) {
  const std::string workers = machine.worker_hosts;
  if (workers.empty()) return std::vector<std::string>(machine.hosts.value_or(1));
  const auto number = parse_nearest_number<std::int64_t>(workers);
  std::vector<std::string> names = number ? std::vector<std::string>(require_hosts(
                                                fmt::format("--worker_hosts={}", workers), *number))
                                          : machine_names("worker_hosts", workers);
  require_hosts("--worker_hosts", std::ssize(names));
  if (machine.hosts && *machine.hosts != names.size())
    fail(ExitCode::kUsage, "--hosts={} and --worker_hosts={}, which are {}: leave out one of them",
         *machine.hosts, workers, names.size());
  return names;
}

}  // namespace

bool describes_machine(const MachineOptions& machine) {
  if (machine.platform.empty() && machine.topology.empty()) return false;
  for (const auto& [flag, hosts] :
       {std::pair{"worker_hosts", machine.worker_hosts}, std::pair{"ps_hosts", machine.ps_hosts}})
    if (!hosts.empty())
      fail(ExitCode::kUsage,
           "--{}={}: hosts of a described machine are all alike and have no servers of their own; "
           "leave it out and take --hosts, or leave out --platform and --topology",
           flag, hosts);
  return true;
}

bool plans_for_this_machine(const MachineOptions& machine) {
  return !describes_machine(machine) && machine.hosts.value_or(1) == 1 &&
         machine.worker_hosts.empty() && machine.ps_hosts.empty();
}

std::optional<ListedTasks> listed_tasks(const MachineOptions& machine) {
  const auto listed = [](const std::string& text) {
    return !text.empty() && !parse_nearest_number<std::int64_t>(text);
  };
  if (!listed(machine.worker_hosts)) return std::nullopt;
  if (!machine.ps_hosts.empty() && !listed(machine.ps_hosts)) return std::nullopt;
  ListedTasks tasks;
  tasks.workers = static_cast<std::uint32_t>(worker_names(machine).size());
  if (!machine.ps_hosts.empty())
    tasks.servers = static_cast<std::uint32_t>(machine_names("ps_hosts", machine.ps_hosts).size());
  return tasks;
}

plan::HostsDescription describe_hosts(const MachineOptions& machine) {
  plan::HostsDescription description;
  const std::vector<std::string> workers = worker_names(machine);
  description.hosts = static_cast<std::uint32_t>(workers.size());
  std::map<std::string, std::uint32_t> known;
  for (std::uint32_t i = 0; i < workers.size(); ++i)
    if (!workers[i].empty()) known.try_emplace(workers[i], i);
  std::uint32_t hosts = description.hosts;
  const std::string servers = machine.ps_hosts;
  if (servers.empty()) return description;
  if (const auto number = parse_nearest_number<std::int64_t>(servers)) {
    const std::uint32_t count = require_hosts(fmt::format("--ps_hosts={}", servers), *number);
    for (std::uint32_t i = 0; i < count; ++i) description.server_hosts.push_back(hosts++);
    return description;
  }
  for (const std::string& name : machine_names("ps_hosts", servers)) {
    const auto [it, inserted] = known.try_emplace(name, hosts);
    if (inserted) ++hosts;
    description.server_hosts.push_back(it->second);
  }
  return description;
}

std::uint32_t count_hosts(const MachineOptions& machine) {
  if (const auto listed = topology::hosts_of_platform(machine.platform)) return *listed;
  const plan::HostsDescription description = describe_hosts(machine);
  std::uint32_t hosts = description.hosts;
  for (const std::uint32_t server : description.server_hosts) hosts = std::max(hosts, server + 1);
  return hosts;
}

void require_devices(std::uint32_t hosts, std::uint32_t devices_per_host) {
  const std::uint64_t devices = std::uint64_t{hosts} * devices_per_host;
  if (devices > kMostDevicesInAll)
    fail(ExitCode::kUsage,
         "{} hosts with {} devices each are {} devices; plans are made for {} at most, so take "
         "fewer --hosts or --num_devices",
         hosts, devices_per_host, devices, kMostDevicesInAll);
}

std::string hosts_text(const plan::HostsDescription& description) {
  std::string text;
  if (description.hosts > 1) text = fmt::format("{} hosts with ", description.hosts);
  if (!description.server_hosts.empty())
    text =
        fmt::format("{}, {}", counted(description.server_hosts.size(), "parameter server"), text);
  return text;
}

}  // namespace convoy::job
