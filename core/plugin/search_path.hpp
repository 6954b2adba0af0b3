#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace convoy::plugin {

// The origin of a place to look for plug-ins, in order of precedence.
enum class SearchOrigin { kFlag, kEnvironment, kExecutable, kInstallPrefix };

struct SearchEntry {
  std::filesystem::path path;  // a directory or a file
  SearchOrigin origin = SearchOrigin::kFlag;
};

struct SearchSettings {
  std::string flag;         // --plugin_path: files and directories, separated by ':'
  std::string environment;  // CONVOY_PLUGIN_PATH, likewise
  std::filesystem::path module_directory;
  std::filesystem::path install_prefix;
};

// The settings of this process. The environment counts only without elevated rights.
SearchSettings process_search_settings(const std::string& plugin_path_flag);

// The directory of the running program or, in a program that uses convoy as a library, of the
// library. Installed files are found relative to it.
std::filesystem::path module_directory();
// The directory of the program that a link, /proc/self/exe, leads to. Error(kUnavailable) when it
// cannot be read.
std::filesystem::path folder_of_program(const std::filesystem::path& link);
// The directory with catalogue, platforms, profiles, templates ...
std::filesystem::path share_directory();

// The places to search, in order, each once. They need not exist.
std::vector<SearchEntry> search_path(const SearchSettings& settings);

// The reason why this file or directory must not provide plug-ins, which run with the user's
// rights: others may write to it, or it belongs neither to the user nor to root. Empty: it may.
std::optional<std::string> trust_problem(const std::filesystem::path& path);

}  // namespace convoy::plugin
