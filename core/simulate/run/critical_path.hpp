#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/plan/plan.hpp"
#include "core/simulate/run/virtual_run.hpp"
#include "core/simulate/simulate.hpp"

namespace convoy::simulate {

// What a step is, on the clock of the run.
struct StepWindow {
  Ticks origin = 0;
  Ticks end = 0;
  std::uint32_t strand = 0;  // whose step it is
  Ticks length() const { return end - origin; }
};

// The tasks that the end of an iteration waited for, one after the other, back to the end of the
// one before: their shares of that time.
struct CriticalChain {
  struct Spent {
    Ticks ticks = 0;
    Ticks latency = 0;                        // of these, before bytes move
    std::map<std::uint32_t, Ticks> routes;    // of copies, collectives and sums
    std::map<std::uint32_t, Ticks> unrouted;  // per place, of what has no route
    std::map<std::uint32_t, Ticks> places;    // of all
  };
  std::map<Activity, Spent> activities;
  Ticks wait = 0;
  Ticks whole = 0;  // from the one end to the other

  CriticalPath per_step(double steps) const;
};

CriticalChain follow_chain(const TaskGraph& graph, const RunTimes& times, const StepWindow& step);

// What to say of a link whose rate its source does not tell; empty for others.
std::string assumed_rate(const SimulatedLink& link);

// "compute", "copies (61 % of the step) on gpu0 -> switch0", "copies (61 % of the step, mostly
// latency) on gpu0 -> switch0", "updates (12 % of the step) at cuda:7": what the chain spends most
// on besides compute, and the link or place where it spends most of that. Mostly latency: a link of
// any rate would not make the step half as long.
std::string name_bottleneck(const CriticalChain& chain, const TaskGraph& graph, const Plan& plan,
                            const SimulatedMachine& machine, const SimulationResult& result);

}  // namespace convoy::simulate
