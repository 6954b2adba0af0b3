#include "core/simulate/run/critical_path.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace convoy::simulate {
namespace {

// Returns the task that ends at the end of the step. Of several, it is the last in the plan's
// order; input counts after the plan.
std::uint32_t last_task(const TaskGraph& graph, const RunTimes& times, const StepWindow& step) {
  std::uint32_t found = kNone;
  for (auto i = static_cast<std::uint32_t>(graph.tasks.size()); i-- > 0;)
    if (times.tasks[i].end == step.end && graph.tasks[i].strand == step.strand &&
        (found == kNone || graph.operation_of(i) > graph.operation_of(found)))
      found = i;
  return found;
}

// The link of a route that takes longest to carry the route's bytes.
std::uint32_t narrowest(const TaskGraph& graph, std::uint32_t route) {
  std::uint32_t result = kNone;
  double rate = 0;
  for (const LinkShare& share : graph.routes[route]) {
    const double own = graph.links[share.link].bytes_per_second / share.weight;
    if (result != kNone && own >= rate) continue;
    result = share.link;
    rate = own;
  }
  return result;
}

struct Share {
  std::uint32_t of = kNone;  // a route or a place
  Ticks ticks = 0;
};

Share longest(const std::map<std::uint32_t, Ticks>& shares) {
  Share result;
  for (const auto& [of, ticks] : shares)
    if (result.of == kNone || ticks > result.ticks) result = {of, ticks};
  return result;
}

const char* noun(Activity activity) {
  switch (activity) {
    case Activity::kCompute:
      return "compute";
    case Activity::kCopy:
      return "copies";
    case Activity::kCollective:
      return "collectives";
    case Activity::kSum:
      return "sums";
    case Activity::kUpdate:
      return "updates";
  }
  return "";
}

}  // namespace

std::string assumed_rate(const SimulatedLink& link) {
  if (!link.assumed) return {};
  return fmt::format(" (its rate is unknown: {:.2f} GB/s assumed)", link.bytes_per_second / 1e9);
}

std::string advice_on_rates(const SimulatedMachine& machine, const std::vector<LinkLoad>& loads) {
  bool cards = false;
  bool others = false;
  for (const LinkLoad& load : loads) {
    const SimulatedLink& link = machine.links[load.link];
    const bool is_card = link.wire == Wire::kNetwork || link.receives;
    (is_card ? cards : others) |= link.assumed;
  }
  if (!cards && !others) return {};
  return fmt::format(
      "some rates are unknown: write the machine with convoy topo --json=FILE, fill in {}{}{} "
      "there, each with its source, and simulate with --topology=FILE",
      cards ? "network_bytes_per_second of its network cards" : "", cards && others ? ", and " : "",
      others ? "a_to_b and b_to_a of its links" : "");
}

CriticalChain follow_chain(const TaskGraph& graph, const RunTimes& times, const StepWindow& step) {
  const Ticks origin = step.origin;
  CriticalChain chain;
  chain.whole = step.length();
  Ticks at = step.end;
  std::uint32_t last = last_task(graph, times, step);
  while (last != kNone && at > origin) {
    const std::size_t number = last % graph.tasks.size();
    const Task& task = graph.tasks[number];
    const TaskCost& cost = graph.cost_of(number);
    const TaskTimes& it = times.tasks[last];
    chain.wait += at - std::min(at, it.end);
    at = std::min(at, it.end);
    const Ticks start = std::max(origin, std::min(at, it.start));
    CriticalChain::Spent& spent = chain.activities[cost.activity];
    spent.ticks += at - start;
    spent.latency += std::min(at - start, to_ticks(cost.seconds));
    spent.places[task.place] += at - start;
    if (task.route != kNone)
      spent.routes[task.route] += at - start;
    else
      spent.unrouted[task.place] += at - start;
    at = start;
    last = it.cause;
  }
  chain.wait += std::max<Ticks>(0, at - origin);
  return chain;
}

CriticalPath CriticalChain::per_step(double steps) const {
  const auto share = [&](Activity activity) {
    const auto found = activities.find(activity);
    return found == activities.end() ? 0 : to_seconds(found->second.ticks) / steps;
  };
  return {share(Activity::kCompute), share(Activity::kCopy),   share(Activity::kCollective),
          share(Activity::kSum),     share(Activity::kUpdate), to_seconds(wait) / steps};
}

std::string name_bottleneck(const CriticalChain& chain, const TaskGraph& graph,
                            const plan::Plan& plan, const SimulatedMachine& machine,
                            const SimulationResult& result) {
  constexpr double kNothing = 0.02;  // part of a step that is too small to name
  std::map<Activity, CriticalChain::Spent> others = chain.activities;
  others.erase(Activity::kCompute);
  if (result.exposed_seconds < kNothing * result.step_seconds || others.empty()) return "compute";
  const auto& [worst, spent] =
      *std::ranges::max_element(others, {}, [](const auto& it) { return it.second.ticks; });
  if (graph.strands > 1 && chain.wait > spent.ticks)
    return fmt::format("waiting for other workers ({:.0f} % of the step)",
                       100 * to_seconds(chain.wait) / to_seconds(chain.whole));
  const std::string share = fmt::format("{} ({:.0f} % of the step", noun(worst),
                                        100 * to_seconds(spent.ticks) / to_seconds(chain.whole));
  const Share route = longest(spent.routes);
  const std::uint32_t link = route.of == kNone ? kNone : narrowest(graph, route.of);
  // Links after those of the machine are the memories of devices.
  if (link >= machine.links.size() || longest(spent.unrouted).ticks > route.ticks)
    return fmt::format("{}) at {}", share, plan.cluster->places[longest(spent.places).of].name);
  return fmt::format("{}{}) on {}{}", share,
                     2 * spent.latency > spent.ticks ? ", mostly latency" : "",
                     machine.links[link].name, assumed_rate(machine.links[link]));
}

}  // namespace convoy::simulate
