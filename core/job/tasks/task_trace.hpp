#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/network/clock_offset.hpp"
#include "core/report/trace.hpp"

namespace convoy::report {
struct TaskRecord;
}
namespace convoy::runtime {
struct StepBreakdown;
}

namespace convoy::job {

class Task;

// Converts the clock of a task's devices to the coordinator's, which all tasks of a run share.
struct CommonClock {
  double offset_seconds = 0;  // to be added to a time of the devices
  double error_seconds = 0;   // a bound of the error of offset_seconds
};

// to_coordinator: offset from this process's steady clock. devices_now: returns the devices' clock
// in seconds. It is read several times together with the steady clock.
CommonClock read_common_clock(const network::ClockOffset& to_coordinator,
                              const std::function<double()>& devices_now);

// The traces of all tasks of a run, on the common clock.
struct CommonTrace {
  std::vector<report::TraceEvent> events;      // of all tasks; devices are named "worker 1 cpu:1"
  std::map<std::string, double> clock_errors;  // seconds, by task: "worker 1 (host7, pid 4711)"
  std::size_t left_out = 0;                    // number of events that were not sent

  // Returns the largest error of the distance between two events of different tasks.
  double error_seconds() const;
};

// All tasks call it, each with its own events. The chief gets the events of all tasks, the others
// get nothing. If a task has very many events, the latest are left out.
CommonTrace gather_trace(Task& task, const std::vector<report::TraceEvent>& own,
                         const CommonClock& clock);

// Returns a notice such as "the trace has the operations of 3 tasks ...".
std::string trace_notice(const CommonTrace& trace);

// Ends the run of all tasks, which exchange how their mean steps were spent. Returns the results by
// rank.
std::vector<report::TaskRecord> tasks_of_run(Task& task, const runtime::StepBreakdown& own);

}  // namespace convoy::job
