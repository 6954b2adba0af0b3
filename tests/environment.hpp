#pragma once

#include <cstdlib>
#include <map>
#include <optional>
#include <string>

namespace convoy {

// Environment variables of a test: its end gives them back what they were, because with a sanitizer
// the tests of a program share a process.
class Environment {
 public:
  using Values = std::map<std::string, std::optional<std::string>>;  // no value: not set

  explicit Environment(const Values& values) {
    for (const auto& [name, value] : values) {
      const char* const before = std::getenv(name.c_str());
      before_[name] = before == nullptr ? std::nullopt : std::optional<std::string>(before);
      give(name, value);
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() {
    for (const auto& [name, value] : before_) give(name, value);
  }

 private:
  static void give(const std::string& name, const std::optional<std::string>& value) {
    if (value)
      setenv(name.c_str(), value->c_str(), 1);
    else
      unsetenv(name.c_str());
  }

  Values before_;
};

// What makes hwloc take a file that lstopo wrote for this machine. It does so only where
// HWLOC_COMPONENTS names no components of its own.
inline Environment::Values this_machine_is(const std::string& lstopo_file) {
  return {{"HWLOC_XMLFILE", lstopo_file}, {"HWLOC_COMPONENTS", std::nullopt}};
}

}  // namespace convoy
