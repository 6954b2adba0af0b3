#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "core/cli/flags/command.hpp"
#include "core/job/setup.hpp"

namespace convoy::cli {

// The options of `convoy simulate`, in addition to those of a run.
struct SimulateRequest {
  std::vector<std::uint32_t> counts;  // devices per host; empty: as many as a run uses
  bool exports_chakra = false;
  std::string export_prefix = "chakra";
};

// The verb's flags, in addition to those of `convoy run`. Their values are stored in the request,
// which must outlive the parsing.
VerbFlags simulate_flags(SimulateRequest& request);

// Prepares the job of a command line for simulation. Moves the contents of the command. Messages of
// plug-ins go to err.
job::Setup set_up_simulation(JobCommand& command, std::ostream& err);

}  // namespace convoy::cli
