#pragma once

#include <vector>

#include "core/cli/flags/refused_flags.hpp"

namespace convoy::cli {

// Why a verb that runs nothing cannot do anything with flags of a run. Null where it can.
struct FlagsOfRuns {
  const char* profile;          // --profile
  const char* repeat;           // --repeat, but for 1
  const char* against;          // --against, --against_program
  const char* modes;            // --eval, --forward_only, --input_only
  const char* files = nullptr;  // --output_file, --report, --trace_file, --record_timeline
};

// These flags, for refuse_flags and for help.
std::vector<RefusedFlag> flags_of_runs(const FlagsOfRuns& reasons);

// The same, all of them, for one reason.
std::vector<RefusedFlag> flags_of_runs(const char* reason);

}  // namespace convoy::cli
