#include "topology/catalogue/platform.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/files/folder_entries.hpp"
#include "core/base/text/nearest.hpp"
#include "core/base/text/number.hpp"
#include "topology/catalogue/platform_host.hpp"
#include "topology/graph/several_hosts.hpp"
#include "topology/read/described_file.hpp"

namespace convoy::topology {
namespace {

// Also returns false for a text that is too long for a file name.
bool is_file(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

std::filesystem::path find_file(const std::filesystem::path& folder, const std::string& name) {
  std::filesystem::path file = folder / (name + ".json");
  if (name.find('/') == std::string::npos && is_file(file)) return file;
  if (means_described_file(name)) return name;
  const std::vector<std::string> names = platform_names(folder);
  const std::vector<std::string> nearest = nearest_names(name, names);
  fail(ExitCode::kUsage,
       "no platform \"{}\": neither a file nor one of {}{}; a file of your own describes another "
       "machine ({} is an example)",
       name, fmt::join(names, ", "),
       nearest.empty() ? std::string()
                       : fmt::format(" (did you mean {}?)", fmt::join(nearest, " or ")),
       (folder / "dgx1-p100.json").string());
}

// One part of a platform's name: "dgx1-p100:2".
struct PlatformPart {
  std::string name;
  std::uint32_t hosts = 1;
};

PlatformPart read_platform_part(const std::string& all, const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return {text};
  const std::string digits = text.substr(colon + 1);
  const std::optional<std::uint32_t> hosts = parse_number<std::uint32_t>(digits);
  if (!hosts || *hosts == 0)
    fail(
        ExitCode::kUsage,
        "platform {}: \"{}\" is not a number of hosts; NAME:2+OTHER:3 is two hosts of one kind and "
        "three of another",
        all, digits);
  return {text.substr(0, colon), *hosts};
}

// Splits a name such as "dgx1-p100:2+hgx-h100:3". Empty for a plain name or a file.
std::vector<PlatformPart> platform_parts(const std::string& name) {
  std::vector<PlatformPart> parts;
  if (name.find_first_of("+:") == std::string::npos || is_file(name)) return parts;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('+', begin), name.size());
    parts.push_back(read_platform_part(name, name.substr(begin, end - begin)));
    begin = end + 1;
  }
  return parts;
}

// Returns the parts that make up the first `hosts` hosts.
std::vector<PlatformPart> first_hosts(const std::vector<PlatformPart>& parts,
                                      const std::string& name, std::uint32_t hosts) {
  if (hosts == 0) fail(ExitCode::kUsage, "0 hosts of platform {}: at least 1", name);
  if (parts.empty()) return {{name, hosts}};
  std::vector<PlatformPart> result;
  std::uint32_t left = hosts;
  for (const PlatformPart& part : parts) {
    if (left > 0) result.push_back({part.name, std::min(left, part.hosts)});
    left -= std::min(left, part.hosts);
  }
  if (left > 0)
    fail(ExitCode::kUsage, "platform {} has {} hosts, not {}: leave out --hosts", name,
         hosts - left, hosts);
  return result;
}

void require_cards(const PlatformHost& host, const std::string& file, std::uint32_t hosts) {
  if (hosts > 1 && host.cards() == 0)
    fail(ExitCode::kUsage,
         "{} hosts of platform {} have no network: add \"network_cards\" to a host bridge or "
         "switch in {}",
         hosts, host.name(), file);
}

// Adds one kind of hosts to the description of the whole platform.
void add_description(const PlatformHost& host, const std::string& file, std::uint32_t hosts,
                     Platform& all) {
  const auto add = [](std::string& text, const char* between, const std::string& more) {
    text += (text.empty() ? "" : between) + more;
  };
  Machine& machine = all.machine;
  add(machine.name, ", ",
      hosts == 1 ? host.name() : fmt::format("{} hosts of {}", hosts, host.name()));
  add(machine.source, ", ", file);
  add(all.source, "; ", host.source());
  const bool first = all.kinds.empty();
  if (first || host.virtual_machine().value_or(false))
    machine.virtual_machine = host.virtual_machine();
  for (const std::string& note : host.notes())
    if (std::ranges::find(machine.notes, note) == machine.notes.end())
      machine.notes.push_back(note);
  if (first || host.gpus() < all.gpus_per_host) {
    all.gpus_per_host = host.gpus();
    all.fewest_gpus = host.name();
  }
  all.kinds.push_back({hosts, host.host_constants(), host.input_cores()});
}

}  // namespace

std::optional<std::uint32_t> hosts_of_platform(const std::string& name) {
  std::uint64_t hosts = 0;
  for (const PlatformPart& part : platform_parts(name)) hosts += part.hosts;
  if (hosts > kMostHosts)
    fail(ExitCode::kUsage, "platform {} has {} hosts; {} are the most", name, hosts, kMostHosts);
  return hosts > 0 ? std::optional(static_cast<std::uint32_t>(hosts)) : std::nullopt;
}

std::uint32_t hosts_of_platform(const std::string& name, std::optional<std::uint32_t> asked) {
  const std::optional<std::uint32_t> listed = hosts_of_platform(name);
  if (listed && asked && asked != listed)
    fail(ExitCode::kUsage, "--hosts={} and --platform={}, which lists {} hosts: leave out --hosts",
         *asked, name, *listed);
  return listed ? *listed : asked.value_or(1);
}

Platform read_platform(const std::filesystem::path& folder, const std::string& name,
                       std::uint32_t hosts, const Catalogue& catalogue) {
  Platform result;
  std::vector<std::pair<PlatformHost, std::uint32_t>> kinds;
  std::vector<std::vector<Fact<double>>> card_rates;
  for (const PlatformPart& part : first_hosts(platform_parts(name), name, hosts)) {
    const DescribedFile file(find_file(folder, part.name));
    kinds.emplace_back(PlatformHost(file, catalogue), part.hosts);
    require_cards(kinds.back().first, file.name(), hosts);
    add_description(kinds.back().first, file.name(), part.hosts, result);
    card_rates.insert(card_rates.end(), part.hosts, kinds.back().first.card_rates());
  }
  PlatformNetwork network = kinds.front().first.network();
  if (hosts > 1) network.append(result.machine, card_rates);
  std::uint32_t number = 0;
  for (auto& [host, count] : kinds)
    for (std::uint32_t i = 0; i < count; ++i)
      host.append(result.machine, number++, hosts > 1 ? &network : nullptr);
  return result;
}

void check_gpu_count(const Platform& platform, std::uint32_t gpus_per_host) {
  if (gpus_per_host <= platform.gpus_per_host) return;
  fail(ExitCode::kUsage,
       "{} GPUs per host, but {} has {}: ask for fewer with --num_gpus, for more hosts with "
       "--hosts, "
       "or for another --platform",
       gpus_per_host, platform.fewest_gpus, platform.gpus_per_host);
}

std::vector<std::string> platform_names(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const std::filesystem::path& entry : folder_entries(folder, ignored))
    if (entry.extension() == ".json") names.push_back(entry.stem().string());
  std::ranges::sort(names);
  return names;
}

}  // namespace convoy::topology
