#include "core/cli/cluster_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <optional>

#include "core/base/error.hpp"
#include "core/cli/flag_limits.hpp"
#include "core/cli/simulated_hardware.hpp"

namespace convoy {
namespace {

// Nothing unless the text is digits, perhaps behind a sign; the nearest number there is for one
// that is too large or too small, so that it is not taken for the name of a machine.
std::optional<std::int64_t> number_of(const std::string& text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc::invalid_argument || stop != end) return std::nullopt;
  if (error == std::errc::result_out_of_range)
    return text.starts_with('-') ? std::numeric_limits<std::int64_t>::min()
                                 : std::numeric_limits<std::int64_t>::max();
  return number;
}

// "a:2222,b:2222" is a, b.
std::vector<std::string> machine_names(const std::string& flag, const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string address = text.substr(at, comma - at);
    const std::string name = address.substr(0, address.rfind(':'));
    if (name.empty())
      fail(ExitCode::kUsage,
           "--{}={}: an empty address; give host:port,host:port or how many there are", flag, text);
    names.push_back(name);
    at = comma + 1;
  }
  return names;
}

std::uint32_t require_hosts(const std::string& source, std::int64_t hosts) {
  if (hosts < 1 || hosts > kMostHosts)
    fail(ExitCode::kUsage, "{}: it must be from 1 to {} hosts", source, kMostHosts);
  return static_cast<std::uint32_t>(hosts);
}

std::vector<std::string> worker_names(const ParsedFlags& flags) {
  const std::string workers = flags.text("worker_hosts");
  const auto hosts = flags.integer_as<std::uint32_t>("hosts");
  if (workers.empty()) return std::vector<std::string>(hosts);
  const auto number = number_of(workers);
  std::vector<std::string> names = number ? std::vector<std::string>(require_hosts(
                                                fmt::format("--worker_hosts={}", workers), *number))
                                          : machine_names("worker_hosts", workers);
  require_hosts("--worker_hosts", std::ssize(names));
  if (flags.is_given("hosts") && hosts != names.size())
    fail(ExitCode::kUsage, "--hosts={} and --worker_hosts={}, which are {}: leave out one of them",
         hosts, workers, names.size());
  return names;
}

}  // namespace

std::vector<FlagDefinition> planned_cluster_flags() {
  std::vector<FlagDefinition> flags = simulation_flags();
  const std::string group = flags.front().group;
  FlagDefinition workers;
  workers.name = "worker_hosts";
  workers.default_value = "";
  workers.help =
      "The hosts of devices as addresses separated by commas, or as a number, if no more is known "
      "of them.";
  workers.group = group;
  FlagDefinition servers;
  servers.name = "ps_hosts";
  servers.default_value = "";
  servers.help =
      "Parameter servers: addresses separated by commas (on a worker's host if they have its "
      "name), or how many hosts without devices; empty = in the memory of every host.";
  servers.group = group;
  flags.push_back(workers);
  flags.push_back(servers);
  return flags;
}

bool describes_machine(const ParsedFlags& flags) {
  if (flags.text("platform").empty() && flags.text("topology").empty()) return false;
  for (const char* hosts : {"worker_hosts", "ps_hosts"})
    if (!flags.text(hosts).empty())
      fail(ExitCode::kUsage,
           "--{}={}: hosts of a described machine are all alike and have no servers of their own; "
           "leave it out and take --hosts, or leave out --platform and --topology",
           hosts, flags.text(hosts));
  return true;
}

bool plans_for_this_machine(const ParsedFlags& flags) {
  return !describes_machine(flags) && flags.integer("hosts") == 1 &&
         flags.text("worker_hosts").empty() && flags.text("ps_hosts").empty();
}

HostsDescription describe_hosts(const ParsedFlags& flags) {
  HostsDescription description;
  const std::vector<std::string> workers = worker_names(flags);
  description.hosts = static_cast<std::uint32_t>(workers.size());
  std::map<std::string, std::uint32_t> known;
  for (std::uint32_t i = 0; i < workers.size(); ++i)
    if (!workers[i].empty()) known.try_emplace(workers[i], i);
  std::uint32_t hosts = description.hosts;
  const std::string servers = flags.text("ps_hosts");
  if (servers.empty()) return description;
  if (const auto number = number_of(servers)) {
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

std::string hosts_text(const HostsDescription& description) {
  std::string text;
  if (description.hosts > 1) text = fmt::format("{} hosts with ", description.hosts);
  if (!description.server_hosts.empty())
    text = fmt::format(
        "{} {}, {}", description.server_hosts.size(),
        description.server_hosts.size() == 1 ? "parameter server" : "parameter servers", text);
  return text;
}

}  // namespace convoy
