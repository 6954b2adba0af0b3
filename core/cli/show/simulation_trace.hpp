#pragma once

#include <vector>

#include "core/job/simulation.hpp"
#include "core/report/trace.hpp"

namespace convoy {

// A simulated step as a trace: a process per place with a row per lane, and one for the links with
// as many rows per link as it carries transfers at a time. The operations must have been kept.
std::vector<TraceEvent> simulation_trace(const job::SimulatedRun& count);

}  // namespace convoy
