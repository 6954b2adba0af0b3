#pragma once

#include <vector>

#include "core/plan/plan.hpp"
#include "core/report/timeline_record.hpp"
#include "core/simulate/machine/machine_builder.hpp"
#include "core/simulate/simulate.hpp"

namespace convoy::job {

// Returns the operations of a simulated step of this lowered plan, on the lanes of their places,
// sorted by start. The simulation must have kept its operations.
report::TimelineRecord simulated_timeline(const plan::Plan& lowered,
                                          const simulate::SimulatedCluster& on,
                                          const simulate::SimulationResult& step);

// Returns the step as a trace. Each place is a process with a row per lane. The links are one more
// process, in which a link has a row for each transfer that it carries at the same time.
std::vector<report::TraceEvent> simulated_trace(const plan::Plan& lowered,
                                                const simulate::SimulatedCluster& on,
                                                const simulate::SimulationResult& step);

}  // namespace convoy::job
