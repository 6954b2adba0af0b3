#pragma once

#include "core/plan/schedule/dependencies.hpp"
#include "core/plan/schedule/schedule.hpp"

namespace convoy::plan {

// Turns dependencies into waits between lanes and omits those that other waits imply. A lane runs
// in order, so a wait for a position covers all earlier positions of that lane and everything these
// waited for. Messages of one lane start and end in order, but a message may start before the
// previous one has ended. So a receive of `host` waits for an earlier message that writes the same
// memory. Needs schedule.lanes and the positions; fills in ScheduledOperation::waits. There are no
// waits for operations that are in no lane of the schedule.
void reduce_waits(const DependencyLists& dependencies, Schedule& schedule,
                  std::uint32_t host = CONVOY_NONE);

}  // namespace convoy::plan
