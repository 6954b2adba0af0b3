#include "core/cli/verbs/verbs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/text/json.hpp"
#include "core/cli/flags/bind.hpp"
#include "core/cli/flags/plugin_flags.hpp"
#include "core/cli/flags/verb_arguments.hpp"
#include "core/cli/show/info.hpp"
#include "core/cli/show/platform_list.hpp"
#include "core/plugin/availability.hpp"
#include "core/plugin/catalog.hpp"
#include "core/plugin/search_path.hpp"

namespace convoy::cli {
namespace {

constexpr VerbUsage kListUsage = {
    "list [KIND] [flags]",
    "Lists the installed plug-ins. Strategies and models are not run; devices are asked whether "
    "this machine has any, and transports whether they can be opened. KIND restricts the list to "
    "strategy, model, device or transport. `convoy list platforms` lists the described machines "
    "that --platform takes."};

using Row = std::array<std::string, 5>;

// Returns the folder that contains most of the plug-ins; empty if there are none.
std::filesystem::path usual_folder(const plugin::Catalog& catalog) {
  std::map<std::filesystem::path, std::size_t> counts;
  for (const plugin::FoundPlugin& plugin : catalog.plugins()) ++counts[plugin.path.parent_path()];
  const auto most = std::ranges::max_element(
      counts, {}, [](const auto& folder_and_count) { return folder_and_count.second; });
  return most == counts.end() ? std::filesystem::path() : most->first;
}

// Returns the file, unless it is the expected one: NAME.so in the usual folder.
std::string file_of(const plugin::FoundPlugin& plugin, const std::filesystem::path& usual) {
  if (plugin.path.parent_path() != usual) return plugin.path.string();
  const std::string file = plugin.path.filename().string();
  return file == plugin.manifest.name + ".so" ? std::string() : file;
}

Row row_of(const plugin::FoundPlugin& plugin, const std::filesystem::path& usual) {
  const plugin::Manifest& manifest = plugin.manifest;
  const auto or_dash = [](const std::string& text) { return text.empty() ? "-" : text; };
  return {std::string(plugin::to_string(manifest.kind)), manifest.name, or_dash(manifest.version),
          or_dash(manifest.claim), file_of(plugin, usual)};
}

// Returns the kind that a word such as "model" or "models" names. Error kUsage for other words.
plugin::PluginKind kind_named(const std::string& word) {
  for (const plugin::PluginKind kind :
       {plugin::PluginKind::kStrategy, plugin::PluginKind::kModel, plugin::PluginKind::kDevice,
        plugin::PluginKind::kTransport}) {
    const std::string name(plugin::to_string(kind));
    const std::string stem = name.substr(0, name.size() - (name.ends_with('y') ? 1 : 0));
    if (word == name || word == stem + (name.ends_with('y') ? "ies" : "s")) return kind;
  }
  fail(ExitCode::kUsage,
       "'{0}' is not a kind of plug-in; it must be strategy, model, device or transport, or "
       "platforms for machines. For one plug-in: convoy info {0}",
       word);
}

void print_table(const plugin::Catalog& catalog, std::optional<plugin::PluginKind> only,
                 std::ostream& out) {
  const std::filesystem::path usual = usual_folder(catalog);
  std::vector<Row> rows;
  for (const plugin::FoundPlugin& plugin : catalog.plugins())
    if (!only || plugin.manifest.kind == *only) rows.push_back(row_of(plugin, usual));
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::tie(a[0], a[1]) < std::tie(b[0], b[1]);
  });
  rows.insert(rows.begin(), Row{"KIND", "NAME", "VERSION", "CLAIM", "FILE"});
  std::array<std::size_t, 5> widths{};
  for (const Row& row : rows) {
    for (std::size_t column = 0; column + 1 < row.size(); ++column) {
      widths[column] = std::max(widths[column], row[column].size());
    }
  }
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t column = 0; column < row.size(); ++column)
      line += fmt::format("{:<{}}  ", row[column], widths[column]);
    out << line.substr(0, line.find_last_not_of(' ') + 1) << '\n';
  }
  if (!usual.empty())
    out << fmt::format(
        "\nfiles that are not shown are NAME.so;\n"
        "files without a folder are in {}\n",
        usual.string());
}

void print_unused(const plugin::Catalog& catalog, std::ostream& out) {
  if (!catalog.shadowed().empty()) out << "\nshadowed by a plug-in found earlier:\n";
  for (const plugin::ShadowedPlugin& shadowed : catalog.shadowed()) {
    out << fmt::format("  {} {} {}\n    by {}\n", plugin::to_string(shadowed.plugin.manifest.kind),
                       shadowed.plugin.manifest.name, shadowed.plugin.path.string(),
                       shadowed.by.string());
  }
  if (!catalog.rejected().empty()) out << "\nnot usable:\n";
  for (const plugin::RejectedPlugin& rejected : catalog.rejected()) {
    out << fmt::format("  {}\n    {}\n", rejected.path.string(), rejected.reason);
  }
}

void print_unavailable(const plugin::Catalog& catalog, plugin::PluginKind kind, const char* heading,
                       std::ostream& out) {
  plugin::PluginHost host;
  bool first = true;
  for (const plugin::FoundPlugin& plugin : catalog.plugins()) {
    if (plugin.manifest.kind != kind) continue;
    const std::optional<std::string> reason = plugin::unavailable_reason(host, plugin);
    if (!reason) continue;
    if (std::exchange(first, false)) out << '\n' << heading << ":\n";
    out << fmt::format("  {}\n    {}\n", plugin.manifest.name, *reason);
  }
}

void print_json(const plugin::Catalog& catalog, std::optional<plugin::PluginKind> only,
                std::ostream& out) {
  nlohmann::ordered_json document = {{"plugins", nlohmann::ordered_json::array()},
                                     {"shadowed", nlohmann::ordered_json::array()},
                                     {"rejected", nlohmann::ordered_json::array()}};
  plugin::PluginHost host;
  for (const plugin::FoundPlugin& plugin : catalog.plugins()) {
    if (only && plugin.manifest.kind != *only) continue;
    document["plugins"].push_back(to_json(plugin));
    if (const auto reason = plugin::unavailable_reason(host, plugin))
      document["plugins"].back()["unavailable"] = *reason;
  }
  for (const plugin::ShadowedPlugin& shadowed : catalog.shadowed()) {
    nlohmann::ordered_json entry = to_json(shadowed.plugin);
    entry["shadowed_by"] = shadowed.by.string();
    document["shadowed"].push_back(entry);
  }
  for (const plugin::RejectedPlugin& rejected : catalog.rejected()) {
    document["rejected"].push_back({{"path", rejected.path.string()}, {"reason", rejected.reason}});
  }
  out << json_text(document, 2) << '\n';
}

void list_platforms(bool json, std::ostream& out) {
  if (json)
    out << json_text(platforms_json(plugin::share_directory()), 2) << '\n';
  else
    print_platforms(plugin::share_directory(), out);
}

}  // namespace

int run_list(std::span<const std::string> arguments, std::ostream& out, std::ostream& /*err*/) {
  std::string plugin_path;
  bool json = false;
  const auto words = read_verb_arguments(
      arguments, kListUsage,
      {plugin_path_flag(plugin_path), bind_flag("json", json, "JSON instead of text.")}, out);
  if (!words) return static_cast<int>(ExitCode::kOk);
  if (words->size() > 1)
    fail(ExitCode::kUsage, "list takes one kind of plug-in and got {}", words->size());
  if (!words->empty() && (words->front() == "platform" || words->front() == "platforms")) {
    list_platforms(json, out);
    return static_cast<int>(ExitCode::kOk);
  }
  std::optional<plugin::PluginKind> only;
  if (!words->empty()) only = kind_named(words->front());
  const auto shown = [&](plugin::PluginKind kind) { return !only || *only == kind; };
  const plugin::Catalog catalog = plugin::installed_plugins(plugin_path);
  if (json) {
    print_json(catalog, only, out);
  } else {
    print_table(catalog, only, out);
    if (shown(plugin::PluginKind::kDevice))
      print_unavailable(catalog, plugin::PluginKind::kDevice, "without a device on this machine",
                        out);
    if (shown(plugin::PluginKind::kTransport))
      print_unavailable(catalog, plugin::PluginKind::kTransport,
                        "transports that this process cannot open", out);
    print_unused(catalog, out);
  }
  return static_cast<int>(ExitCode::kOk);
}

}  // namespace convoy::cli
