#include "topology/catalogue/platform.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/nearest.hpp"
#include "topology/catalogue/platform_host.hpp"

namespace convoy::topology {
namespace {

std::filesystem::path find_file(const std::filesystem::path& folder, const std::string& name) {
  std::filesystem::path file = folder / (name + ".json");
  if (name.find('/') == std::string::npos && std::filesystem::is_regular_file(file)) return file;
  if (std::filesystem::is_regular_file(name)) return name;
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

}  // namespace

Platform read_platform(const std::filesystem::path& folder, const std::string& name,
                       std::uint32_t hosts, const Catalogue& catalogue) {
  const DescribedFile file(find_file(folder, name));
  PlatformHost host(file, catalogue);
  if (hosts == 0) fail(ExitCode::kUsage, "0 hosts of platform {}: at least 1", host.name());
  if (hosts > 1 && host.cards() == 0)
    fail(
        ExitCode::kUsage,
        "{} hosts of platform {} have no network: add \"network_cards\" to a host bridge or switch "
        "in {}",
        hosts, host.name(), file.name());
  Platform result;
  result.machine.name =
      hosts == 1 ? host.name() : fmt::format("{} hosts of {}", hosts, host.name());
  result.machine.source = file.name();
  result.machine.virtual_machine = host.virtual_machine();
  result.machine.notes = host.notes();
  result.host_constants = host.host_constants();
  result.gpus_per_host = host.gpus();
  result.input_cores = host.input_cores();
  result.source = host.source();
  host.append_hosts(result.machine, hosts);
  return result;
}

void check_gpu_count(const Platform& platform, std::uint32_t gpus_per_host) {
  if (gpus_per_host <= platform.gpus_per_host) return;
  fail(ExitCode::kUsage,
       "{} GPUs per host, but {} has {}: ask for fewer with --num_gpus, for more hosts with "
       "--hosts, "
       "or for another --platform",
       gpus_per_host, platform.machine.name, platform.gpus_per_host);
}

std::vector<std::string> platform_names(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace convoy::topology
