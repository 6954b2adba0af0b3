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

void load(plugin::PluginHost& host, const plugin::FoundPlugin& plugin) {
  switch (plugin.manifest.kind) {
    case plugin::PluginKind::kStrategy:
      host.load_strategy(plugin);
      return;
    case plugin::PluginKind::kModel:
      host.load_model(plugin);
      return;
    case plugin::PluginKind::kDevice:
      host.load_device(plugin);
      return;
    case plugin::PluginKind::kTransport:
      host.load_transport(plugin);
      return;
  }
}

std::string unusable(plugin::PluginKind kind) {
  return kind == plugin::PluginKind::kDevice ? "has no device here: " : "cannot be used here: ";
}

// Returns whether the plug-in can be loaded. Tries it in a forked process, which a plug-in may
// damage. Throws NoProcess if nothing can be tried.
bool try_plugin(const plugin::FoundPlugin& plugin, Findings& findings) {
  constexpr double kPatience = 30;  // seconds
  try {
    const std::string reason = plugin::call_in_child(plugin, "loading it", kPatience, [&] {
      plugin::PluginHost host;
      load(host, plugin);
      return plugin::unavailable_reason(host, plugin).value_or("");
    });
    // If there are GPUs, the probes of drivers and libraries warn, so this is no warning.
    if (!reason.empty())
      findings.push_back({fmt::format("{} plug-in {}", plugin::to_string(plugin.manifest.kind),
                                      plugin.manifest.name),
                          Health::kOk, unusable(plugin.manifest.kind) + reason, ""});
    return true;
  } catch (const plugin::NoProcess&) {
    throw;
  } catch (const std::exception& error) {
    findings.push_back({"plug-in " + plugin.manifest.name, Health::kFail, error.what(),
                        "remove the file or build it again for this convoy"});
    return false;
  }
}

using Counts = std::map<plugin::PluginKind, int>;

// Returns how many plug-ins of each kind can be loaded; empty if the system gives no processes to
// try them.
std::optional<Counts> loadable(const plugin::Catalog& catalog, Findings& findings) {
  Counts loaded;
  try {
    for (const plugin::FoundPlugin& plugin : catalog.plugins())
      if (try_plugin(plugin, findings)) ++loaded[plugin.manifest.kind];
  } catch (const plugin::NoProcess& error) {
    findings.push_back({"plug-ins", Health::kFail, error.what(),
                        "raise the limit, or run fewer processes at the same time: until then no "
                        "plug-in can be tried"});
    return std::nullopt;
  }
  return loaded;
}

void found_plugins(const plugin::Catalog& catalog, bool deep, Findings& findings) {
  Counts found;
  for (const plugin::FoundPlugin& plugin : catalog.plugins()) ++found[plugin.manifest.kind];
  std::optional<Counts> loaded = deep ? loadable(catalog, findings) : std::nullopt;
  for (const plugin::PluginKind kind : plugin::kPluginKinds) {
    const int count = found[kind];
    findings.push_back(
        {fmt::format("{} plug-ins", plugin::to_string(kind)),
         count > 0 ? Health::kOk : Health::kFail,
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
    const plugin::Catalog catalog = plugin::installed_plugins(plugin_path);
    found_plugins(catalog, deep, findings);
    for (const plugin::RejectedPlugin& it : catalog.rejected())
      findings.push_back({"plug-in file " + it.path.filename().string(), Health::kWarn,
                          fmt::format("not used: {}: {}", it.path.string(), it.reason), ""});
    for (const plugin::ShadowedPlugin& it : catalog.shadowed())
      findings.push_back(
          {"plug-in " + it.plugin.manifest.name, Health::kWarn,
           fmt::format("{} is hidden by {}", it.plugin.path.string(), it.by.string()),
           "remove one of them"});
  } catch (const Error& error) {
    findings.push_back({"plug-ins", Health::kFail, error.what(), ""});
  }
}

}  // namespace convoy::doctor
