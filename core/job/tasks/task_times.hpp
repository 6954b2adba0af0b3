#pragma once

#include <vector>

#include "core/job/tasks/task.hpp"
#include "core/report/run_record.hpp"

namespace convoy::job {

// Ends the run of all tasks, which exchange how their mean steps were spent. Results by rank.
std::vector<report::TaskRecord> tasks_of_run(Task& task, const runtime::StepBreakdown& own);

}  // namespace convoy::job
