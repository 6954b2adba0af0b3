#pragma once

#include <map>
#include <string>
#include <utility>

#include "core/network/launcher.hpp"

namespace convoy::network {

// An environment with these variables and no others.
inline EnvironmentLookup environment_of(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

}  // namespace convoy::network
