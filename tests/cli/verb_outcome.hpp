#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/error.hpp"

namespace convoy::cli {

using Verb = int(std::span<const std::string>, std::ostream&, std::ostream&);

// What a verb did: its exit code and what it printed.
struct VerbOutcome {
  int code = 0;
  std::string out;
  std::string err;
};

inline VerbOutcome outcome_of(Verb* verb, const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = verb(arguments, out, err);
  return {code, out.str(), err.str()};
}

// What a verb that succeeds prints.
inline std::string said_by(Verb* verb, const std::vector<std::string>& arguments) {
  const VerbOutcome outcome = outcome_of(verb, arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.out;
}

// The error of a verb that refuses its arguments; nothing is printed before it.
inline std::string refusal_by(Verb* verb, const std::vector<std::string>& arguments) {
  std::ostringstream out;
  try {
    verb(arguments, out, out);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage) << error.what();
    EXPECT_EQ(out.str(), "");
    return error.what();
  }
  return "nothing is refused";
}

}  // namespace convoy::cli
