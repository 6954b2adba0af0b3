#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/cli/flags/flag_parser.hpp"

namespace convoy::cli {

using Variables = std::map<std::string, std::string>;

// An environment with these variables only, so that tests do not depend on that of their process.
inline EnvironmentLookup environment_of(const Variables& variables) {
  return [&variables](const std::string& name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
}

inline ParsedFlags parse(const FlagTable& table, const std::vector<std::string>& arguments,
                         const Variables& variables = {}) {
  return parse_flags(table, arguments, Positional::kRefused, environment_of(variables));
}

struct Failure {
  ExitCode code = ExitCode::kOk;
  std::string text;

  bool mentions(const std::string& part) const { return text.find(part) != std::string::npos; }
};

// The error that the action ends with; kOk and no text when it does not fail.
inline Failure failure_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  return {};
}

}  // namespace convoy::cli
