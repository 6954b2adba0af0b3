#pragma once

#include <convoy/job_options.hpp>
#include <string_view>

#include "core/base/numbers/bounds.hpp"

// The bounds of a job's numbers. The flags of the command line take theirs from here, so that a
// program that sets the fields itself is refused the same values.
namespace convoy::job {

// The bounds of the number that the flag of this name sets.
Bounds bounds_of(std::string_view flag);

// Error(kUsage) that names a number which is out of its bounds.
void check_bounds(const JobOptions& options);

}  // namespace convoy::job
