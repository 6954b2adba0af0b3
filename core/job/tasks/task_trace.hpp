#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/network/clock_offset.hpp"
#include "core/report/trace.hpp"

namespace convoy::job {

class Task;

// From the clock of a task's devices to the one that all tasks of a run share, the coordinator's.
struct CommonClock {
  double offset_seconds = 0;  // to add to a time of the devices
  double error_seconds = 0;   // it is right within that
};

// `to_coordinator`: from this process's steady clock. `devices_now`: the devices' clock, in
// seconds, which is read several times beside the steady one.
CommonClock read_common_clock(const network::ClockOffset& to_coordinator,
                              const std::function<double()>& devices_now);

// What all tasks of a run traced, on the common clock.
struct CommonTrace {
  std::vector<report::TraceEvent> events;      // by task: devices are "worker 1 cpu:1"
  std::map<std::string, double> clock_errors;  // seconds, by task: "worker 1 (host7, pid 4711)"
  std::size_t left_out = 0;                    // events that were too many to be sent

  // Two events of different tasks lie within so many seconds of where they are drawn, relative to
  // each other.
  double error_seconds() const;
};

// All tasks call it, each with its own events; the chief gets those of all, others nothing. Of a
// task with very many events the latest are left out.
CommonTrace gather_trace(Task& task, const std::vector<report::TraceEvent>& own,
                         const CommonClock& clock);

// "the trace has the operations of 3 tasks ...": for people.
std::string trace_notice(const CommonTrace& trace);

}  // namespace convoy::job
