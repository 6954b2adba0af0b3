#pragma once

#include <initializer_list>
#include <string>

namespace convoy::cuda {

// A shared library that is opened when first needed, so the plug-in loads without it. It stays open
// until the process ends.
class DynamicLibrary {
 public:
  // Tries the names in order. Throws std::runtime_error that states the library's purpose and where
  // it was searched.
  DynamicLibrary(std::initializer_list<const char*> names, const std::string& purpose);

  template <typename Function>
  void load(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(symbol(name));
  }

 private:
  void* symbol(const char* name) const;

  void* handle_ = nullptr;
  std::string name_;
};

}  // namespace convoy::cuda
