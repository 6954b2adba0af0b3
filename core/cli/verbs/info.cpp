#include "core/cli/verbs/verbs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/text/json.hpp"
#include "core/cli/flags/bind.hpp"
#include "core/cli/flags/fitted_text.hpp"
#include "core/cli/flags/plugin_flags.hpp"
#include "core/cli/flags/verb_arguments.hpp"
#include "core/cli/show/info.hpp"
#include "core/plugin/availability.hpp"
#include "core/plugin/catalog.hpp"
#include "core/plugin/device_plugin.hpp"

namespace convoy::cli {
namespace {

constexpr VerbUsage kInfoUsage = {
    "info NAME [flags]",
    "Shows a plug-in's description and options; for a model also image size, parameters, "
    "operations and layers. NAME may be a path such as ./x.so, or a checkpoint or other "
    ".safetensors file, whose tensors it lists."};

void print_option(const plugin::OptionDeclaration& option, std::ostream& out) {
  out << fmt::format("  --{}={}  ({}", option.name, option.default_value,
                     plugin::to_string(option.type));
  if (!option.allowed.empty()) out << fmt::format(": {}", fmt::join(option.allowed, ", "));
  out << ")\n";
  if (!option.help.empty()) out << fmt::format("      {}\n", option.help);
}

void print_variant(const plugin::Variant& variant, std::ostream& out) {
  for (const auto& [name, value] : variant) out << fmt::format("  --{}={}", name, value);
  out << '\n';
}

// Whether a plug-in can be loaded. Prints why not.
bool is_usable(plugin::PluginHost& host, const plugin::FoundPlugin& plugin, std::ostream& out) {
  const auto reason = plugin::unavailable_reason(host, plugin);
  if (reason) out << fmt::format("unusable   here: {}\n", *reason);
  return !reason;
}

void print_device(const plugin::FoundPlugin& plugin, std::ostream& out) {
  plugin::PluginHost host;
  if (!is_usable(host, plugin, out)) return;
  const convoy_device& table = *host.load_device(plugin).table;
  const bool on_processors = (table.traits & CONVOY_DEVICES_ON_HOST_PROCESSORS) != 0;
  out << fmt::format("computes   on {}\n",
                     on_processors ? "the host's processors" : "processors of its own");
  if (table.preference == 0)
    out << "auto       never takes it: name it with --device\n";
  else
    out << fmt::format("auto       takes it by its preference of {}\n", table.preference);
}

void print_transport(const plugin::FoundPlugin& plugin, std::ostream& out) {
  plugin::PluginHost host;
  if (!is_usable(host, plugin, out)) return;
  const convoy_transport& table = *host.load_transport(plugin).table;
  out << fmt::format("reaches    {}\n", (table.traits & CONVOY_TRANSPORT_ONE_MACHINE) != 0
                                            ? "tasks of this machine"
                                            : "tasks of any machine");
  if ((table.traits & CONVOY_TRANSPORT_LAUNCHED) != 0)
    out << "needs      processes that its launcher has started together\n";
  if (table.preference == 0)
    out << "pairs      never take it by themselves\n";
  else
    out << fmt::format("pairs      take it by its preference of {}\n", table.preference);
}

void print_plugin(const plugin::FoundPlugin& plugin, std::ostream& out) {
  const plugin::Manifest& manifest = plugin.manifest;
  out << fmt::format("{} {} {}\n", plugin::to_string(manifest.kind), manifest.name,
                     manifest.version);
  if (!manifest.description.empty()) out << fmt::format("  {}\n", manifest.description);
  out << '\n';
  if (!manifest.claim.empty()) out << fmt::format("claims     {}\n", manifest.claim);
  if (!manifest.needs.empty()) {
    out << fmt::format("needs      {}\n", fmt::join(manifest.needs, ", "));
  }
  out << fmt::format("built for  plug-in ABI {}.{}\n", manifest.abi_major, manifest.abi_minor);
  out << fmt::format("path       {}\n", plugin.path.string());
  if (manifest.kind == plugin::PluginKind::kDevice) print_device(plugin, out);
  if (manifest.kind == plugin::PluginKind::kTransport) print_transport(plugin, out);
  if (manifest.kind == plugin::PluginKind::kModel) print_model(plugin, out);
  if (manifest.options.empty()) {
    out << "\nno options\n";
    return;
  }
  out << "\noptions, with their defaults:\n";
  for (const plugin::OptionDeclaration& option : manifest.options) print_option(option, out);
  if (manifest.variants.empty()) return;
  out << "\nvariants that --variable_update=auto compares:\n";
  for (const plugin::Variant& variant : manifest.variants) print_variant(variant, out);
}

// Refuses folders, which hold plug-ins or checkpoints, unless a plug-in has the same name.
void refuse_folder(const std::string& name, const plugin::Catalog& catalog) {
  std::error_code unreadable;
  if (!std::filesystem::is_directory(name, unreadable)) return;
  const bool is_plugin = std::ranges::any_of(
      catalog.plugins(),
      [&](const plugin::FoundPlugin& plugin) { return plugin.manifest.name == name; });
  if (is_plugin) return;
  fail(ExitCode::kUsage,
       "{} is a folder, and info shows one plug-in or one file: name a file in it, such as "
       "model-100.safetensors of a --train_dir; convoy list --plugin_path={} lists plug-ins in it",
       name, name);
}

}  // namespace

int run_info(std::span<const std::string> arguments, std::ostream& out, std::ostream& /*err*/) {
  std::string plugin_path;
  bool json = false;
  const auto words = read_verb_arguments(
      arguments, kInfoUsage,
      {plugin_path_flag(plugin_path), bind_flag("json", json, "JSON instead of text.")}, out);
  if (!words) return static_cast<int>(ExitCode::kOk);
  if (words->size() != 1)
    fail(ExitCode::kUsage, "info takes one name and got {}; try: convoy info NAME", words->size());
  const std::string& name = words->front();
  if (names_tensor_file(name)) {
    print_tensor_file(name, json, out);
    return static_cast<int>(ExitCode::kOk);
  }
  const plugin::Catalog catalog = plugin::installed_plugins(plugin_path);
  refuse_folder(name, catalog);
  const std::vector<plugin::FoundPlugin> found = catalog.find(name);
  if (json) {
    nlohmann::ordered_json document = nlohmann::ordered_json::array();
    for (const plugin::FoundPlugin& plugin : found) {
      document.push_back(to_json(plugin));
      if (plugin.manifest.kind == plugin::PluginKind::kModel)
        document.back()["model"] = model_json(plugin);
    }
    out << json_text(document, 2) << '\n';
  } else {
    std::ostringstream text;
    for (const plugin::FoundPlugin& plugin : found) {
      if (&plugin != &found.front()) text << '\n';
      print_plugin(plugin, text);
    }
    out << fitted_text(text.str());
  }
  return static_cast<int>(ExitCode::kOk);
}

}  // namespace convoy::cli
