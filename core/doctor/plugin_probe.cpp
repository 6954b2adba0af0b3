#include <fmt/format.h>

#include <map>
#include <optional>

#include "core/base/error.hpp"
#include "core/doctor/probes.hpp"
#include "core/plugin/availability.hpp"
#include "core/plugin/child_call.hpp"
#include "core/plugin/library.hpp"
#include "core/plugin/search_path.hpp"

namespace convoy::doctor {
namespace {

void load(PluginHost& host, const FoundPlugin& plugin) {
  switch (plugin.manifest.kind) {
    case PluginKind::kStrategy:
      host.load_strategy(plugin);
      return;
    case PluginKind::kModel:
      host.load_model(plugin);
      return;
    case PluginKind::kDevice:
      host.load_device(plugin);
      return;
    case PluginKind::kTransport:
      host.load_transport(plugin);
      return;
  }
}

std::string unusable(PluginKind kind) {
  return kind == PluginKind::kDevice ? "has no device here: " : "cannot be used here: ";
}

// In a copy of this process, which a plug-in may do with as it likes. Whether it can be loaded.
// NoProcess if nothing can be tried.
bool try_plugin(const FoundPlugin& plugin, Findings& findings) {
  constexpr double kPatience = 30;  // seconds
  try {
    const std::string reason = call_in_child(plugin, "loading it", kPatience, [&] {
      PluginHost host;
      load(host, plugin);
      return unavailable_reason(host, plugin).value_or("");
    });
    // Where there are GPUs, the probes of drivers and libraries warn.
    if (!reason.empty())
      findings.push_back(
          {fmt::format("{} plug-in {}", to_string(plugin.manifest.kind), plugin.manifest.name),
           Health::kOk, unusable(plugin.manifest.kind) + reason, ""});
    return true;
  } catch (const NoProcess&) {
    throw;
  } catch (const std::exception& error) {
    findings.push_back({"plug-in " + plugin.manifest.name, Health::kFail, error.what(),
                        "remove the file or build it again for this convoy"});
    return false;
  }
}

using Counts = std::map<PluginKind, int>;

// How many of each kind can be loaded. Nothing where the system gives no processes to try them in.
std::optional<Counts> loadable(const Catalog& catalog, Findings& findings) {
  Counts loaded;
  try {
    for (const FoundPlugin& plugin : catalog.plugins())
      if (try_plugin(plugin, findings)) ++loaded[plugin.manifest.kind];
  } catch (const NoProcess& error) {
    findings.push_back({"plug-ins", Health::kFail, error.what(),
                        "raise the limit, or run fewer processes at the same time: until then no "
                        "plug-in can be tried"});
    return std::nullopt;
  }
  return loaded;
}

void found_plugins(const Catalog& catalog, bool deep, Findings& findings) {
  Counts found;
  for (const FoundPlugin& plugin : catalog.plugins()) ++found[plugin.manifest.kind];
  std::optional<Counts> loaded = deep ? loadable(catalog, findings) : std::nullopt;
  for (const PluginKind kind : kPluginKinds) {
    const int count = found[kind];
    findings.push_back(
        {fmt::format("{} plug-ins", to_string(kind)), count > 0 ? Health::kOk : Health::kFail,
         loaded ? fmt::format("{} of {} loaded", (*loaded)[kind], count)
                : fmt::format("{} found", count),
         count > 0 ? ""
                   : "install convoy's own plug-ins beside the program (lib/convoy/plugins), or "
                     "name their folder with --plugin_path"});
  }
}

}  // namespace

void probe_plugins(const std::string& plugin_path, bool deep, Findings& findings) {
  try {
    const Catalog catalog = installed_plugins(plugin_path);
    found_plugins(catalog, deep, findings);
    for (const RejectedPlugin& it : catalog.rejected())
      findings.push_back({"plug-in file " + it.path.filename().string(), Health::kWarn,
                          fmt::format("not used: {}: {}", it.path.string(), it.reason), ""});
    for (const ShadowedPlugin& it : catalog.shadowed())
      findings.push_back(
          {"plug-in " + it.plugin.manifest.name, Health::kWarn,
           fmt::format("{} is hidden by {}", it.plugin.path.string(), it.by.string()),
           "remove one of them"});
  } catch (const Error& error) {
    findings.push_back({"plug-ins", Health::kFail, error.what(), ""});
  }
}

}  // namespace convoy::doctor
