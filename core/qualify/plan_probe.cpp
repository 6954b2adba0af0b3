#include "core/qualify/plan_probe.hpp"

#include <algorithm>
#include <convoy/graph_builder.hpp>
#include <map>
#include <utility>

#include "core/base/numbers/statistics.hpp"
#include "core/calibrate/probe_session.hpp"
#include "core/graph/assembler.hpp"
#include "core/job/simulation/prediction_options.hpp"
#include "core/simulate/predictor.hpp"

namespace convoy::qualify {
namespace {

using Extent = std::pair<double, double>;         // seconds, begin and end
using Extents = std::map<std::uint32_t, Extent>;  // by operation of the logical plan

void extend(Extents& extents, std::uint32_t source, double start, double end) {
  const auto [found, added] = extents.try_emplace(source, start, end);
  if (added) return;
  found->second = {std::min(found->second.first, start), std::max(found->second.second, end)};
}

// Returns the ids of the probed operations, in their order. Trained steps have none.
std::vector<std::uint32_t> probed_operations(const plan::Plan& logical, const ProbedStep& step) {
  std::vector<std::uint32_t> ids;
  if (step.trains) return ids;
  for (const plan::Operation& it : logical.body)
    if (it.kind == plan::OperationKind::kCopy || it.kind == plan::OperationKind::kAllReduce)
      ids.push_back(it.id);
  return ids;
}

Extents measured_extents(runtime::Session& session) {
  const plan::Plan& plan = session.lowered_plan();
  Extents extents;
  for (const runtime::OperationTime& time : session.executor().last_times()) {
    const plan::Operation& it = plan.body.at(time.operation - plan.prologue.size());
    extend(extents, it.source, time.timing.start, time.timing.end);
  }
  return extents;
}

Extents predicted_extents(const plan::Plan& plan, const simulate::SimulationResult& step) {
  Extents extents;
  for (const simulate::SimulatedOperation& it : step.operations)
    extend(extents, plan.body.at(it.operation).source, it.start, it.end);
  return extents;
}

std::optional<simulate::SimulationResult> predict(const ProbeTarget& target,
                                                  runtime::Session& session) {
  if (target.hardware == nullptr || target.task != nullptr) return std::nullopt;
  const simulate::SimulatedCluster on = target.hardware->cluster(1, session.cluster().replicas());
  if (on.cluster.places.size() != session.cluster().places.size()) return std::nullopt;
  simulate::PredictorOptions options =
      job::prediction_options(target.setup, *target.hardware, session.options().batch);
  options.simulation.input = {};  // probes read no data
  options.simulation.keep_operations = true;
  const simulate::Predictor predictor(session.graph(), options);
  return predictor.predict(session.lowered_plan(), on).step;
}

std::optional<double> duration(const Extents& extents, std::uint32_t source) {
  const auto found = extents.find(source);
  if (found == extents.end()) return std::nullopt;
  return found->second.second - found->second.first;
}

// All tasks begin a step together, so that one does not measure the lateness of others.
void meet(const ProbeTarget& target) {
  if (target.task != nullptr) target.task->peers->exchange("");
}

}  // namespace

calibrate::ProbeNetwork smallest_network() {
  constexpr std::uint32_t kSide = 8;
  constexpr std::uint32_t kClasses = 8;
  return {"one small layer",
          graph::assemble_graph("one small layer", kSide, kClasses,
                                [](const convoy_graph_builder& builder) {
                                  GraphBuilder graph(builder);
                                  graph.classify(graph.input());
                                }),
          1};
}

ProbedTimes probe_plan(const ProbeTarget& target, const calibrate::ProbeNetwork& network,
                       const ProbedStep& step, int repetitions) {
  const std::unique_ptr<plugin::StrategyPlugin> strategy = probe_strategy(step);
  calibrate::ProbeSession probe(
      network, *strategy, target.devices, false,
      target.task == nullptr ? std::nullopt : std::optional(*target.task));
  runtime::Session& session = probe.session();
  const std::vector<std::uint32_t> sources =
      probed_operations(session.plan()->step.logical(), step);
  std::vector<double> steps;
  std::map<std::uint32_t, std::vector<double>> seconds;
  for (int i = 0; i <= repetitions; ++i) {
    meet(target);
    const double whole = probe.step();
    if (i == 0) continue;  // the first step only touches the memory
    steps.push_back(whole);
    const Extents extents = measured_extents(session);
    for (const std::uint32_t source : sources)
      if (const auto taken = duration(extents, source)) seconds[source].push_back(*taken);
  }
  const auto expected = predict(target, session);
  ProbedTimes times{{median(std::move(steps)), std::nullopt}, {}};
  if (expected) times.step.expected = expected->step_seconds;
  const Extents extents =
      expected ? predicted_extents(session.lowered_plan(), *expected) : Extents();
  for (const std::uint32_t source : sources) {
    ProbedTime time{std::nullopt, duration(extents, source)};
    if (seconds.contains(source)) time.measured = std::ranges::min(seconds[source]);
    times.operations.push_back(time);
  }
  return times;
}

}  // namespace convoy::qualify
