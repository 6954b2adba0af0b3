#pragma once

#include "core/plan/schedule/dependencies.hpp"
#include "core/plan/schedule/schedule.hpp"

namespace convoy {

// Turns dependencies into waits between lanes and leaves out those that others imply: a lane runs
// in order, so waiting for a position covers all earlier ones of that lane and all that these
// waited for. Messages of one lane start in order and end in order, but one starts before the last
// one has ended: what `host` receives waits for an earlier message that writes the same memory.
// Needs schedule.lanes and the positions; fills in ScheduledOperation::waits. What is in no lane of
// the schedule is not waited for.
void reduce_waits(const DependencyLists& dependencies, Schedule& schedule,
                  std::uint32_t host = CONVOY_NONE);

}  // namespace convoy
