#include "plugins/devices/cuda/dynamic_library.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <stdexcept>
#include <vector>

namespace convoy::cuda {
namespace {

// Where toolkits are usually installed, for libraries that the linker's own search does not find.
const std::vector<std::string>& usual_folders() {
  static const std::vector<std::string> kFolders = {"/usr/local/cuda/lib64", "/usr/local/cuda/lib",
                                                    "/opt/cuda/lib64"};
  return kFolders;
}

void* open_anywhere(const char* name) {
  if (void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return handle;
  for (const std::string& folder : usual_folders()) {
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    std::error_code error;
    if (!std::filesystem::exists(path, error)) continue;
    if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
  }
  return nullptr;
}

}  // namespace

DynamicLibrary::DynamicLibrary(std::initializer_list<const char*> names,
                               const std::string& purpose) {
  std::string tried;
  for (const char* name : names) {
    handle_ = open_anywhere(name);
    name_ = name;
    if (handle_ != nullptr) return;
    const char* reason = dlerror();
    tried += std::string(tried.empty() ? "" : "; ") + (reason == nullptr ? name : reason);
  }
  throw std::runtime_error(purpose + " needs " + name_ + ", which cannot be opened (" + tried +
                           "): install it, or add its folder to LD_LIBRARY_PATH");
}

void* DynamicLibrary::symbol(const char* name) const {
  if (void* found = dlsym(handle_, name)) return found;
  throw std::runtime_error(name_ + " has no function " + name +
                           ": it is of another version than this plug-in was built for");
}

}  // namespace convoy::cuda
