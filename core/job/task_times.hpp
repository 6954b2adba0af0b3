#pragma once

#include <vector>

#include "core/job/task.hpp"
#include "core/report/run_record.hpp"

namespace convoy::job {

// Ends the run of all tasks, in which they tell each other how their mean steps were spent; by
// rank.
std::vector<report::TaskRecord> tasks_of_run(Task& task, const runtime::StepBreakdown& own);

}  // namespace convoy::job
