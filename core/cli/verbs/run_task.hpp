#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include "core/cli/flags/command.hpp"
#include "core/job/setup.hpp"
#include "core/network/task_identity.hpp"

namespace convoy::cli {

// Prepares the job of a command line. Also throws Error if its record could not be written.
job::Setup set_up_command(JobCommand command, std::ostream& err);

// `convoy run` as one task of a run on several hosts. Workers have a command line of their own;
// servers take the chief's. Returns the exit code.
int run_task(JobCommand command, network::TaskIdentity identity,
             std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace convoy::cli
