#pragma once

#include <span>
#include <string>

#include "core/job/setup.hpp"
#include "core/report/run_observer.hpp"
#include "core/report/run_record.hpp"

namespace convoy::job {

// Runs the job: training, evaluation, inference or the input alone. Writes the files that the
// options name, even if the job fails: the record is written before the Error is thrown.
// command_line is for the record.
report::RunRecord run(Setup& setup, report::RunObserver& observer,
                      std::span<const std::string> command_line = {});

}  // namespace convoy::job
