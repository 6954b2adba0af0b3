#include "core/base/files/cache_folder.hpp"

#include <cstdlib>
#include <system_error>

namespace convoy {
namespace {

const char* absolute_path_in(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && value[0] == '/' ? value : nullptr;
}

}  // namespace

std::filesystem::path cache_folder() {
  if (const char* own = std::getenv("CONVOY_CACHE_DIR"); own != nullptr && own[0] != '\0') {
    std::error_code no_working_folder;
    const std::filesystem::path folder = std::filesystem::absolute(own, no_working_folder);
    return no_working_folder ? std::filesystem::path(own) : folder;
  }
  if (const char* shared = absolute_path_in("XDG_CACHE_HOME"))
    return std::filesystem::path(shared) / "convoy";
  if (const char* home = absolute_path_in("HOME"))
    return std::filesystem::path(home) / ".cache" / "convoy";
  return {};
}

}  // namespace convoy
