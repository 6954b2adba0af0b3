#include "core/plugin/device_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/base/error.hpp"
#include "core/plugin/availability.hpp"
#include "core/plugin/device_plugin.hpp"

namespace convoy::plugin {
namespace {

struct Preferred {
  FoundPlugin plugin;
  std::uint32_t preference;
  std::uint32_t traits;
};

// Returns the installed device plug-ins that auto may take, the most preferred first. Adds those
// that cannot be loaded to `problems`, with the reason.
std::vector<Preferred> by_preference(PluginHost& host, const Catalog& catalog,
                                     std::string& problems) {
  std::vector<Preferred> all;
  for (const FoundPlugin& plugin : catalog.plugins()) {
    if (plugin.manifest.kind != PluginKind::kDevice) continue;
    try {
      const convoy_device& table = *host.load_device(plugin).table;
      if (table.preference > 0) all.push_back({plugin, table.preference, table.traits});
    } catch (const Error& error) {
      problems += fmt::format("\n  {}", error.what());
    }
  }
  std::ranges::stable_sort(all, std::greater{}, &Preferred::preference);
  return all;
}

FoundPlugin choose_any(PluginHost& host, const Catalog& catalog) {
  std::string problems;
  for (const Preferred& each : by_preference(host, catalog, problems)) {
    const std::optional<std::string> reason = unavailable_reason(host, each.plugin);
    if (!reason) return each.plugin;
    problems += fmt::format("\n  {}: {}", each.plugin.manifest.name, *reason);
  }
  fail(
      ExitCode::kUnavailable,
      "--device=auto finds no device on this machine; `convoy list` shows the device plug-ins that "
      "are installed, --device=NAME takes one that auto passes over{}",
      problems);
}

}  // namespace

FoundPlugin choose_device(PluginHost& host, const Catalog& catalog, const std::string& wanted) {
  if (wanted == kAnyDevice) return choose_any(host, catalog);
  FoundPlugin found = catalog.find(PluginKind::kDevice, wanted);
  if (const std::optional<std::string> reason = unavailable_reason(host, found))
    fail(
        ExitCode::kUnavailable,
        "no device of plug-in {} can be used on this machine: {}; --device=auto takes one that can",
        found.manifest.name, *reason);
  return found;
}

FoundPlugin choose_processors(PluginHost& host, const Catalog& catalog) {
  std::string problems;
  for (const Preferred& each : by_preference(host, catalog, problems))
    if ((each.traits & CONVOY_DEVICES_ON_HOST_PROCESSORS) != 0) return each.plugin;
  fail(ExitCode::kUnavailable,
       "no installed device plug-in computes on this machine's processors; `convoy list` shows "
       "what is installed, --plugin_path adds places to look{}",
       problems);
}

}  // namespace convoy::plugin
