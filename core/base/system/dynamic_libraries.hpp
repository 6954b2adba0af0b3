#pragma once

#include <functional>
#include <string>

namespace convoy {

// Opens shared libraries by name, as the loader would find them now, and looks up their functions.
// Tests, and the examination of another machine's files, use substitutes.
struct DynamicLibraries {
  // Returns a handle, or null with the loader's reason in `reason`.
  std::function<void*(const std::string& name, std::string& reason)> open;
  std::function<void*(void* library, const char* symbol)> symbol;
  // Returns the file that contains a function; empty if that is not known.
  std::function<std::string(void* function)> file;

  template <typename Function>
  Function function(void* library, const char* name) const {
    return reinterpret_cast<Function>(symbol(library, name));
  }
};

// The libraries of this process. They stay open until it ends.
DynamicLibraries system_libraries();
// Finds no library, and always gives `reason`.
DynamicLibraries no_libraries(const std::string& reason);

}  // namespace convoy
