#pragma once

#include "core/job/setup.hpp"

namespace convoy::job {

// Checks the user's files and folders before anything that takes time, such as the choice of a
// strategy, because their names may be wrong.

// Error(kUsage) for file options that do not go together, and for files that cannot be written.
void check_output_files(const JobOptions& options);

// Error(kUnavailable) if the data set's files are not in --data_dir. Reads none.
void check_data_files(const Setup& setup);

// Finds the state with which a training of one process begins. Several tasks do this once they have
// joined, so that all of them learn what is wrong. Error as find_starting_point() and
// InitialWeights.
void open_starting_point(Setup& setup);

}  // namespace convoy::job
