#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/plan/plan.hpp"
#include "core/simulate/simulate.hpp"
#include "core/simulate/virtual_run.hpp"

namespace convoy::simulate {

// The tasks that the end of an iteration waited for, one after the other, back to the end of the
// one before: their shares of that time.
struct CriticalChain {
  std::map<Activity, Ticks> activities;
  std::map<std::uint32_t, Ticks> routes;  // of copies, collectives and sums
  std::map<std::uint32_t, Ticks> places;  // of sums and updates without a route
  Ticks wait = 0;

  CriticalPath per_step(double steps) const;
  std::uint32_t busiest_link = kNone;  // of the route that the chain is longest on
};

CriticalChain follow_chain(const TaskGraph& graph, const RunTimes& times, Ticks origin, Ticks end);

// What to say of a link whose rate its source does not tell; empty for others.
std::string assumed_rate(const SimulatedLink& link);

// "compute of cuda:0", "link gpu0 -> switch0", ...
std::string name_bottleneck(const CriticalChain& chain, const Plan& plan,
                            const SimulatedMachine& machine, const SimulationResult& result);

}  // namespace convoy::simulate
