#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "core/cli/flags/command.hpp"
#include "core/job/setup.hpp"

namespace convoy {

// What `convoy simulate` is asked for beside what a run is.
struct SimulateRequest {
  std::vector<std::uint32_t> counts;  // of devices per host; empty: as many as a run takes
  bool exports_chakra = false;
  std::string export_prefix = "chakra";
};

// The flags that the verb has beside those of `convoy run`. What they say goes to the request,
// which must outlive the reading of the command line.
VerbFlags simulate_flags(SimulateRequest& request);

// The job of a command line, ready to be simulated; takes what the command holds. Plug-ins speak to
// err.
job::Setup set_up_simulation(JobCommand& command, std::ostream& err);

}  // namespace convoy
