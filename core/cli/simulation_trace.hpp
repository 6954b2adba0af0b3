#pragma once

#include <vector>

#include "core/report/trace.hpp"
#include "core/simulate/predictor.hpp"

namespace convoy {

// A simulated step as a trace: a process per place with a row per lane, and one for the links with
// as many rows per link as it carries transfers at a time. The operations must have been kept.
std::vector<TraceEvent> simulation_trace(const simulate::SimulatedCluster& cluster,
                                         const simulate::Prediction& prediction);

}  // namespace convoy
