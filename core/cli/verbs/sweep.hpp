#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include "core/cli/flags/sweep_axes.hpp"

namespace convoy::cli {

// `convoy simulate` for every combination of values, several at a time. Writes one row for each to
// out and to --output_file. Returns the exit code.
int run_sweep(std::span<const std::string> arguments, const SweepAxes& axes, std::ostream& out,
              std::ostream& err);

}  // namespace convoy::cli
