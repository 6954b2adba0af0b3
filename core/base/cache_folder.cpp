#include "core/base/cache_folder.hpp"

#include <cstdlib>

namespace convoy {
namespace {

const char* absolute_path_in(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && value[0] == '/' ? value : nullptr;
}

}  // namespace

std::filesystem::path cache_folder() {
  if (const char* own = absolute_path_in("CONVOY_CACHE_DIR")) return own;
  if (const char* shared = absolute_path_in("XDG_CACHE_HOME"))
    return std::filesystem::path(shared) / "convoy";
  if (const char* home = absolute_path_in("HOME"))
    return std::filesystem::path(home) / ".cache" / "convoy";
  return {};
}

}  // namespace convoy
