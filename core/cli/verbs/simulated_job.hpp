#pragma once

#include <cstdint>
#include <iosfwd>
#include <vector>

#include "core/cli/flags/command.hpp"
#include "core/job/setup.hpp"

namespace convoy {

// What `convoy simulate` has beside the flags of `convoy run`. The numbers of devices that are
// asked for go to `counts`, which must outlive the reading of the command line.
VerbFlags simulate_flags(std::vector<std::uint32_t>& counts);

// The job of a command line, ready to be simulated; takes what the command holds. Plug-ins speak to
// err.
job::Setup set_up_simulation(JobCommand& command, std::ostream& err);

}  // namespace convoy
