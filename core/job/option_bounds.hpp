#pragma once

#include <convoy/job_options.hpp>
#include <string_view>

#include "core/base/numbers/bounds.hpp"

// The bounds of a job's numbers. The command line's flags use the same bounds, so that a program
// that sets the fields itself is refused the same values.
namespace convoy::job {

// Returns the bounds of the number that the flag of this name sets.
Bounds bounds_of(std::string_view flag);

// Error(kUsage) that names the first number that is out of its bounds.
void check_bounds(const JobOptions& options);

}  // namespace convoy::job
