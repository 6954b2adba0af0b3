#include "core/simulate/critical_path.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace convoy::simulate {
namespace {

// Of those that end then, the last one in the plan's order, input behind it.
std::uint32_t last_task(const TaskGraph& graph, const RunTimes& times, Ticks end) {
  std::uint32_t found = kNone;
  for (auto i = static_cast<std::uint32_t>(times.last.size()); i-- > 0;)
    if (times.last[i].end == end &&
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

template <typename Key>
Key longest(const std::map<Key, Ticks>& shares) {
  return std::max_element(shares.begin(), shares.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
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

CriticalChain follow_chain(const TaskGraph& graph, const RunTimes& times, Ticks origin, Ticks end) {
  CriticalChain chain;
  Ticks at = end;
  std::uint32_t last = last_task(graph, times, end);
  while (last != kNone && at > origin) {
    const Task& task = graph.tasks[last];
    const TaskTimes& it = times.last[last];
    chain.wait += at - std::min(at, it.end);
    at = std::min(at, it.end);
    const Ticks start = std::max(origin, std::min(at, it.start));
    chain.activities[task.activity] += at - start;
    if (task.route != kNone)
      chain.routes[task.route] += at - start;
    else if (task.activity != Activity::kCompute)
      chain.places[task.place] += at - start;
    at = start;
    last = it.cause;
  }
  chain.wait += std::max<Ticks>(0, at - origin);
  if (!chain.routes.empty()) chain.busiest_link = narrowest(graph, longest(chain.routes));
  return chain;
}

CriticalPath CriticalChain::per_step(double steps) const {
  const auto share = [&](Activity activity) {
    const auto found = activities.find(activity);
    return found == activities.end() ? 0 : to_seconds(found->second) / steps;
  };
  return {share(Activity::kCompute), share(Activity::kCopy),   share(Activity::kCollective),
          share(Activity::kSum),     share(Activity::kUpdate), to_seconds(wait) / steps};
}

std::string name_bottleneck(const CriticalChain& chain, const Plan& plan,
                            const SimulatedMachine& machine, const SimulationResult& result) {
  constexpr double kNothing = 0.02;  // of a step: not worth naming
  std::map<Activity, Ticks> others = chain.activities;
  others.erase(Activity::kCompute);
  if (result.exposed_seconds < kNothing * result.step_seconds || others.empty()) return "compute";
  const Activity worst = longest(others);
  std::string share =
      fmt::format("{} ({:.0f} % of the step)", noun(worst),
                  100 * to_seconds(others[worst]) / (result.step_seconds * plan.computes));
  if (chain.busiest_link != kNone && chain.busiest_link < machine.links.size())
    return fmt::format("{} on {}{}", share, machine.links[chain.busiest_link].name,
                       assumed_rate(machine.links[chain.busiest_link]));
  if (!chain.places.empty())
    return fmt::format("{} at {}", share, plan.cluster->places[longest(chain.places)].name);
  return share;
}

}  // namespace convoy::simulate
