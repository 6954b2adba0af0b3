#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/plugin/manifest.hpp"
#include "core/plugin/search_path.hpp"

namespace convoy::plugin {

// A file whose manifest is sound. None of its code has run.
struct FoundPlugin {
  Manifest manifest;
  std::filesystem::path path;
};

// A plug-in that is hidden by another one of its kind and name, which was found earlier.
struct ShadowedPlugin {
  FoundPlugin plugin;
  std::filesystem::path by;
};

struct RejectedPlugin {
  std::filesystem::path path;  // a file, or a directory whose files were not looked at
  std::string reason;
};

// The plug-ins that a search finds, and everything that it does not use, with the reason. A catalog
// is a value: scanning again makes a new one.
class Catalog {
 public:
  // Reads manifests only. A missing directory matters only when the user named it.
  static Catalog scan(std::span<const SearchEntry> entries);

  const std::vector<FoundPlugin>& plugins() const { return plugins_; }
  const std::vector<ShadowedPlugin>& shadowed() const { return shadowed_; }
  const std::vector<RejectedPlugin>& rejected() const { return rejected_; }

  // The plug-in with this name, or in this file when the text has a '/'. Throws Error with exit
  // code kUnavailable: similar names, refused files and every path that was looked at.
  FoundPlugin find(PluginKind kind, const std::string& name_or_path) const;
  // The same over all kinds; several plug-ins of different kinds may share a name.
  std::vector<FoundPlugin> find(const std::string& name_or_path) const;

  std::vector<std::string> names(PluginKind kind) const;

 private:
  void scan_directory(const std::filesystem::path& directory);
  void scan_file(const std::filesystem::path& file);
  [[noreturn]] void fail_unknown(std::string_view kind, const std::string& name,
                                 std::span<const std::string> known) const;

  std::vector<FoundPlugin> plugins_;
  std::vector<ShadowedPlugin> shadowed_;
  std::vector<RejectedPlugin> rejected_;
  std::vector<std::filesystem::path> looked_at_;
};

// Returns the plug-ins that this process finds. `plugin_path` has files and directories to look at
// first, separated by ':'. Error(kUsage) when one of them does not exist.
Catalog installed_plugins(const std::string& plugin_path);

// Returns the plug-in in one file, if the file is trusted and has a sound manifest. Throws
// ManifestError with the reason.
FoundPlugin read_plugin(const std::filesystem::path& file);

}  // namespace convoy::plugin
