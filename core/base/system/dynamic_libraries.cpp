#include "core/base/system/dynamic_libraries.hpp"

#include <dlfcn.h>

namespace convoy {

DynamicLibraries system_libraries() {
  DynamicLibraries libraries;
  libraries.open = [](const std::string& name, std::string& reason) {
    void* const handle = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (handle != nullptr) return handle;
    const char* const text = dlerror();
    reason = text == nullptr ? "unknown reason" : text;
    return handle;
  };
  libraries.symbol = [](void* library, const char* symbol) { return dlsym(library, symbol); };
  libraries.file = [](void* function) {
    Dl_info info{};
    const bool known = dladdr(function, &info) != 0 && info.dli_fname != nullptr;
    return std::string(known ? info.dli_fname : "");
  };
  return libraries;
}

DynamicLibraries no_libraries(const std::string& reason) {
  DynamicLibraries libraries;
  libraries.open = [reason](const std::string&, std::string& why) -> void* {
    why = reason;
    return nullptr;
  };
  libraries.symbol = [](void*, const char*) -> void* { return nullptr; };
  libraries.file = [](void*) { return std::string(); };
  return libraries;
}

}  // namespace convoy
