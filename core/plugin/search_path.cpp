#include "core/plugin/search_path.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "core/base/error.hpp"
#include "core/base/text/split.hpp"

namespace convoy::plugin {
namespace {

constexpr const char* kPluginDirectory = "lib/convoy/plugins";

void append_list(std::string_view list, SearchOrigin origin, std::vector<SearchEntry>& entries) {
  for (const std::string& path : split(list, ':'))
    if (!path.empty()) entries.push_back({path, origin});
}

}  // namespace

std::filesystem::path module_directory() {
  ::Dl_info info;
  ::link_map* module = nullptr;
  const auto* const here = reinterpret_cast<const void*>(&module_directory);
  const bool known =
      ::dladdr1(here, &info, reinterpret_cast<void**>(&module), RTLD_DL_LINKMAP) != 0;
  // The program itself has no name there.
  if (known && module != nullptr && module->l_name != nullptr && *module->l_name != '\0')
    return std::filesystem::canonical(module->l_name).parent_path();
  return folder_of_program("/proc/self/exe");
}

std::filesystem::path folder_of_program(const std::filesystem::path& link) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink(link, error);
  if (error)
    fail(ExitCode::kUnavailable,
         "cannot find what is installed beside this program: {} cannot be read ({}); mount /proc, "
         "which containers and chroots need, too",
         link.string(), error.message());
  return program.parent_path();
}

std::filesystem::path share_directory() {
  return (module_directory() / "../share/convoy").lexically_normal();
}

SearchSettings process_search_settings(const std::string& plugin_path_flag) {
  // secure_getenv is null in set-user-id programs.
  const char* environment = ::secure_getenv("CONVOY_PLUGIN_PATH");
  return {.flag = plugin_path_flag,
          .environment = environment == nullptr ? "" : environment,
          .module_directory = module_directory(),
          .install_prefix = CONVOY_INSTALL_PREFIX};
}

std::vector<SearchEntry> search_path(const SearchSettings& settings) {
  std::vector<SearchEntry> entries;
  append_list(settings.flag, SearchOrigin::kFlag, entries);
  append_list(settings.environment, SearchOrigin::kEnvironment, entries);
  if (!settings.module_directory.empty()) {
    const auto directory = settings.module_directory / ".." / kPluginDirectory;
    entries.push_back({directory.lexically_normal(), SearchOrigin::kExecutable});
  }
  if (!settings.install_prefix.empty()) {
    entries.push_back({settings.install_prefix / kPluginDirectory, SearchOrigin::kInstallPrefix});
  }
  std::vector<SearchEntry> distinct;
  for (SearchEntry& entry : entries) {
    const auto same = [&](const SearchEntry& other) {
      return std::filesystem::weakly_canonical(other.path) ==
             std::filesystem::weakly_canonical(entry.path);
    };
    if (std::none_of(distinct.begin(), distinct.end(), same)) distinct.push_back(std::move(entry));
  }
  return distinct;
}

std::optional<std::string> trust_problem(const std::filesystem::path& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) {
    return "cannot be examined: " + std::generic_category().message(errno);
  }
  const char* what = S_ISDIR(status.st_mode) ? "directory" : "file";
  if ((status.st_mode & S_IWOTH) != 0) {
    return fmt::format(
        "every user may write to the {} {}: chmod o-w it, or copy what you trust to a directory of "
        "your own",
        what, path.string());
  }
  if (status.st_uid != 0 && status.st_uid != ::geteuid()) {
    return fmt::format("the {} {} belongs to user {}, not to you or root: copy what you trust",
                       what, path.string(), status.st_uid);
  }
  return std::nullopt;
}

}  // namespace convoy::plugin
