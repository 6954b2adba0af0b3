#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/plan/plan.hpp"
#include "core/simulate/run/virtual_run.hpp"
#include "core/simulate/simulate.hpp"

namespace convoy::simulate {

// The beginning and end of a step on the clock of the run.
struct StepWindow {
  Ticks origin = 0;
  Ticks end = 0;
  std::uint32_t strand = 0;  // the strand whose step it is
  Ticks length() const { return end - origin; }
};

// The chain of tasks that the end of an iteration waited for, back to the end of the previous
// iteration, and how the time divides among them.
struct CriticalChain {
  struct Spent {
    Ticks ticks = 0;
    Ticks latency = 0;                        // part of it before bytes move
    std::map<std::uint32_t, Ticks> routes;    // per route: copies, collectives and sums
    std::map<std::uint32_t, Ticks> unrouted;  // per place: tasks that have no route
    std::map<std::uint32_t, Ticks> places;    // per place: all tasks
  };
  std::map<Activity, Spent> activities;
  Ticks wait = 0;
  Ticks whole = 0;  // from one end to the other

  CriticalPath per_step(double steps) const;
};

CriticalChain follow_chain(const TaskGraph& graph, const RunTimes& times, const StepWindow& step);

// Returns a remark on a link whose rate is assumed; empty for other links.
std::string assumed_rate(const SimulatedLink& link);
// Returns advice on how to state the rates that were assumed for links in use; empty if all of them
// are known.
std::string advice_on_rates(const SimulatedMachine& machine, const std::vector<LinkLoad>& loads);

// "compute", "copies (61 % of the step) on gpu0 -> switch0", "copies (61 % of the step, mostly
// latency) on gpu0 -> switch0", "updates (12 % of the step) at cuda:7": names the kind of work,
// apart from compute, that takes most of the chain, and the link or place where it takes most.
// "Mostly latency" means that more than half of that time passes before bytes move. "waiting for
// other workers (99 % of the step)": the chain leads to steps of others that are not recorded.
std::string name_bottleneck(const CriticalChain& chain, const TaskGraph& graph,
                            const plan::Plan& plan, const SimulatedMachine& machine,
                            const SimulationResult& result);

}  // namespace convoy::simulate
