#pragma once

#include "core/job/setup.hpp"
#include "core/select/decision.hpp"

namespace convoy::job {

// Whether a run of these options updates variables, so that it matters which strategy does.
bool trains(const JobOptions& options);

// What --variable_update=auto takes for a run on this machine: remembered or simulated; by the rule
// of thumb where nothing is trained, or nothing is known of the devices' speed, which the setup's
// notices then say, like what went wrong with the memory. On several hosts the rule's choice is
// what they begin with: they decide once their links are measured, which the setup then notes. With
// --auto=measure the setup also gets the shortlist to try.
select::Decision choose_for_run(Setup& setup);

}  // namespace convoy::job
