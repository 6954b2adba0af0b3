#pragma once

#include <span>
#include <string>

#include "core/cli/flags/command.hpp"

namespace convoy::cli {

// The flags that `qualify` has beyond those of `convoy run`.
struct QualifyRequest {
  double threshold = 0.7;  // a rate passes if it is at least this share of the expected rate
  bool quick = false;      // smaller and fewer measurements
};

// Reads the flags that follow the verb. Error(kUsage) as read_command(), and for flags that make
// sense only in training.
JobCommand read_qualify_command(std::span<const std::string> arguments, QualifyRequest& request);

}  // namespace convoy::cli
