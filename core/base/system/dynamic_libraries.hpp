#pragma once

#include <functional>
#include <string>

namespace convoy {

// Opens shared libraries by name as the loader would find them now and looks up their functions.
// Tests and the examination of another machine's files put their own in place.
struct DynamicLibraries {
  // A handle, or null with the loader's reason in `reason`.
  std::function<void*(const std::string& name, std::string& reason)> open;
  std::function<void*(void* library, const char* symbol)> symbol;
  // The file that a function is in; empty when that is not known.
  std::function<std::string(void* function)> file;

  template <typename Function>
  Function function(void* library, const char* name) const {
    return reinterpret_cast<Function>(symbol(library, name));
  }
};

// The libraries of this process. They stay open until it ends.
DynamicLibraries system_libraries();
// No libraries at all, for the reason given.
DynamicLibraries no_libraries(const std::string& reason);

}  // namespace convoy
