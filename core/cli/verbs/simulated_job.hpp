#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "core/cli/flags/command.hpp"
#include "core/job/setup.hpp"

namespace convoy::cli {

// The options of `convoy simulate` beside those of a run.
struct SimulateRequest {
  std::vector<std::uint32_t> counts;  // of devices per host; empty: as many as a run takes
  bool exports_chakra = false;
  std::string export_prefix = "chakra";
};

// The verb's flags beside those of `convoy run`. Their values are stored in the request, which must
// outlive the parsing.
VerbFlags simulate_flags(SimulateRequest& request);

// The job of a command line, ready to be simulated; moves the contents of the command. Messages of
// plug-ins go to err.
job::Setup set_up_simulation(JobCommand& command, std::ostream& err);

}  // namespace convoy::cli
