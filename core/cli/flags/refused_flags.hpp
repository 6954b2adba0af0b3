#pragma once

#include <span>
#include <string>

namespace convoy::cli {

// A flag of `convoy run` that means nothing to another verb.
struct RefusedFlag {
  std::string name;
  std::string reason;      // why, as in "qualify makes measurements of its own"
  std::string unset = {};  // the value that it has without being given
  bool is_switch = false;  // unset is "false"
};

// Error(kUsage) where the command line gives one of them a value other than the unset one.
// Variables of the environment may be meant for other commands.
void refuse_flags(std::span<const std::string> arguments, std::span<const RefusedFlag> refused);

}  // namespace convoy::cli
