#pragma once

#include <span>
#include <string>

#include "core/job/setup.hpp"
#include "core/report/run_observer.hpp"
#include "core/report/run_record.hpp"

namespace convoy::job {

// Runs what the setup is for - training, evaluation, inference or input alone - and writes the
// files that its options name, also when it fails. command_line is for the record. Error as design
// of each part says; the record is written before it is thrown.
report::RunRecord run(Setup& setup, report::RunObserver& observer,
                      std::span<const std::string> command_line = {});

}  // namespace convoy::job
