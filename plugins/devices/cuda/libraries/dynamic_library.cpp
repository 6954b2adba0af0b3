#include "plugins/devices/cuda/libraries/dynamic_library.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <sstream>
#include <stdexcept>

namespace convoy::cuda {
namespace {

void* open_anywhere(const char* name) {
  if (void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return handle;
  std::istringstream folders(CONVOY_CUDA_FOLDERS);
  for (std::string folder; std::getline(folders, folder, ':');) {
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
