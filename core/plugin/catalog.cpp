#include "core/plugin/catalog.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>

#include "core/base/error.hpp"
#include "core/base/files/folder_entries.hpp"
#include "core/base/text/nearest.hpp"
#include "core/plugin/elf_manifest.hpp"
#include "core/plugin/search_path.hpp"

namespace convoy::plugin {
namespace {

namespace fs = std::filesystem;

bool is_path(std::string_view text) {
  return text.find('/') != std::string_view::npos;
}

FoundPlugin read_requested(const std::string& path) {
  try {
    return read_plugin(path);
  } catch (const ManifestError& problem) {
    fail(ExitCode::kUnavailable, "plug-in {}: reading its manifest failed: {}", path,
         problem.what());
  }
}

void check_plugin_path(const std::string& plugin_path) {
  SearchSettings flag_alone;
  flag_alone.flag = plugin_path;
  for (const SearchEntry& entry : search_path(flag_alone)) {
    std::error_code ignored;
    if (!fs::exists(entry.path, ignored))
      fail(ExitCode::kUsage,
           "--plugin_path={}: {} does not exist; give folders or plug-ins with colons between them",
           plugin_path, entry.path.string());
  }
}

}  // namespace

FoundPlugin read_plugin(const fs::path& file) {
  std::error_code problem;
  // The file behind a symbolic link matters, and who may replace it.
  const fs::path real = fs::canonical(file, problem);
  if (problem) throw ManifestError("cannot be opened: " + problem.message());
  for (const fs::path& part : {real, real.parent_path()}) {
    if (const auto distrust = trust_problem(part)) throw ManifestError("refused: " + *distrust);
  }
  return {parse_manifest(read_manifest_section(real)), file};
}

Catalog Catalog::scan(std::span<const SearchEntry> entries) {
  Catalog catalog;
  for (const SearchEntry& entry : entries) {
    catalog.looked_at_.push_back(entry.path);
    std::error_code problem;
    const fs::file_status status = fs::status(entry.path, problem);
    const bool named_by_user =
        entry.origin == SearchOrigin::kFlag || entry.origin == SearchOrigin::kEnvironment;
    if (fs::is_directory(status)) {
      catalog.scan_directory(entry.path);
    } else if (fs::exists(status)) {
      catalog.scan_file(entry.path);
    } else if (named_by_user || status.type() != fs::file_type::not_found) {
      catalog.rejected_.push_back({entry.path, "cannot be opened: " + problem.message()});
    }
  }
  return catalog;
}

void Catalog::scan_directory(const fs::path& directory) {
  std::error_code problem;
  const fs::path real = fs::canonical(directory, problem);
  if (const auto distrust = trust_problem(real)) {
    rejected_.push_back({directory, "refused: " + *distrust});
    return;
  }
  const std::vector<fs::path> files = folder_entries(directory, problem);
  if (problem) rejected_.push_back({directory, "cannot be listed: " + problem.message()});
  for (const fs::path& file : files)
    if (file.extension() == ".so") scan_file(file);
}

void Catalog::scan_file(const fs::path& file) {
  try {
    FoundPlugin found = read_plugin(file);
    const auto same = [&](const FoundPlugin& other) {
      return other.manifest.kind == found.manifest.kind &&
             other.manifest.name == found.manifest.name;
    };
    const auto first = std::find_if(plugins_.begin(), plugins_.end(), same);
    if (first == plugins_.end()) {
      plugins_.push_back(std::move(found));
    } else {
      shadowed_.push_back({std::move(found), first->path});
    }
  } catch (const ManifestError& problem) {
    rejected_.push_back({file, problem.what()});
  }
}

FoundPlugin Catalog::find(PluginKind kind, const std::string& name_or_path) const {
  if (is_path(name_or_path)) {
    FoundPlugin found = read_requested(name_or_path);
    if (found.manifest.kind != kind) {
      fail(ExitCode::kUnavailable, "plug-in {} is a {} ({}), but a {} is wanted here", name_or_path,
           to_string(found.manifest.kind), found.manifest.name, to_string(kind));
    }
    return found;
  }
  for (const FoundPlugin& plugin : plugins_) {
    if (plugin.manifest.kind == kind && plugin.manifest.name == name_or_path) return plugin;
  }
  fail_unknown(to_string(kind), name_or_path, names(kind));
}

std::vector<FoundPlugin> Catalog::find(const std::string& name_or_path) const {
  if (is_path(name_or_path)) return {read_requested(name_or_path)};
  std::vector<FoundPlugin> found;
  std::vector<std::string> known;
  for (const FoundPlugin& plugin : plugins_) {
    known.push_back(plugin.manifest.name);
    if (plugin.manifest.name == name_or_path) found.push_back(plugin);
  }
  if (found.empty()) fail_unknown("plug-in", name_or_path, known);
  return found;
}

std::vector<std::string> Catalog::names(PluginKind kind) const {
  std::vector<std::string> names;
  for (const FoundPlugin& plugin : plugins_) {
    if (plugin.manifest.kind == kind) names.push_back(plugin.manifest.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

void Catalog::fail_unknown(std::string_view kind, const std::string& name,
                           std::span<const std::string> known) const {
  std::string text = fmt::format("no {} is named '{}'", kind, name);
  std::error_code unreadable;
  if (name.ends_with(".so") && fs::is_regular_file(name, unreadable))
    text += fmt::format("; the file of that name here is ./{}", name);
  const std::vector<std::string> nearest = nearest_names(name, known);
  if (!nearest.empty()) text += fmt::format("; did you mean {}?", fmt::join(nearest, ", "));
  constexpr std::size_t kMostListed = 24;  // `convoy list` shows longer lists
  if (!known.empty() && known.size() <= kMostListed)
    text += fmt::format(" (installed: {})", fmt::join(known, ", "));
  for (const RejectedPlugin& rejected : rejected_) {
    if (rejected.path.stem() == name) {
      text += fmt::format("\n  {} is not usable: {}", rejected.path.string(), rejected.reason);
    }
  }
  for (const fs::path& path : looked_at_) text += fmt::format("\n  looked at {}", path.string());
  text += "\n`convoy list` shows what is installed; --plugin_path adds places to look";
  throw Error(ExitCode::kUnavailable, text);
}

Catalog installed_plugins(const std::string& plugin_path) {
  check_plugin_path(plugin_path);
  return Catalog::scan(search_path(process_search_settings(plugin_path)));
}

}  // namespace convoy::plugin
