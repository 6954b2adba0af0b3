#pragma once

#include "core/job/setup.hpp"

namespace convoy::job {

// The user's files and folders, looked at before anything that takes time, such as the choice of a
// strategy: their names may be wrong.

// Error(kUsage) for options of files that do not go together, and for files that cannot be written.
void check_output_files(const JobOptions& options);

// Error(kUnavailable) if the data set's files are not in --data_dir. Reads none.
void check_data_files(const Setup& setup);

// Finds what a training of one process begins with. Several tasks do so once they have joined, so
// that all of them learn what is wrong. Error as find_starting_point() and InitialWeights.
void open_starting_point(Setup& setup);

}  // namespace convoy::job
