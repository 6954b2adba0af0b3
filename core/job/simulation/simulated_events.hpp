#pragma once

#include <vector>

#include "core/plan/plan.hpp"
#include "core/report/timeline_record.hpp"
#include "core/simulate/machine/machine_builder.hpp"
#include "core/simulate/simulate.hpp"

namespace convoy::job {

// The operations of a simulated step of this lowered plan, on the lanes of their places, sorted by
// start. They must have been kept.
report::TimelineRecord simulated_timeline(const Plan& lowered, const simulate::SimulatedCluster& on,
                                          const simulate::SimulationResult& step);

// The step as a trace: a process per place with a row per lane, and one for the links with as many
// rows per link as it carries transfers at a time.
std::vector<report::TraceEvent> simulated_trace(const Plan& lowered,
                                                const simulate::SimulatedCluster& on,
                                                const simulate::SimulationResult& step);

}  // namespace convoy::job
