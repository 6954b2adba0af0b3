#include "core/job/training/trace_events.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/plan/operation.hpp"
#include "core/plan/schedule/local_schedule.hpp"
#include "core/plan/schedule/spanning_collective.hpp"
#include "core/report/profile_record.hpp"

namespace convoy::job {
namespace {

constexpr const char* kHostProcess = "host";

// A segment is named after the layer whose weights it holds.
std::string segment_name(const graph::Graph& graph, const plan::Operation& operation) {
  const std::uint64_t end = operation.first_layer + operation.layer_count;
  for (std::uint64_t layer = operation.first_layer; layer < end; ++layer)
    if (graph::owns_weights(graph.nodes().at(layer).layer.kind)) return graph.nodes()[layer].name;
  return graph.nodes().at(operation.first_layer).name;
}

// Returns the plan that ran in that step.
const plan::Plan& plan_of(const runtime::Session& session, const runtime::StepTrace& trace) {
  return session.plan()->step.lowered(trace.stage);
}

const plan::Operation& operation_of(const plan::Plan& plan, const runtime::OperationTime& time) {
  return plan.body.at(time.operation - plan.prologue.size());
}

// Shows this host's end of network traffic, in a row per peer and direction, as lanes are.
report::TraceEvent network_event(const runtime::Session& session, const plan::Plan& plan,
                                 const runtime::OperationTime& time) {
  const plan::Operation& operation = operation_of(plan, time);
  const plan::NetworkEnd end = plan::network_end(plan, operation, session.task()->host);
  const plan::PlanSpan& own = end.sends ? operation.reads.front() : operation.writes.front();
  return {end.sends ? "send" : "receive",
          time.operation,
          fmt::format("{} host {}", end.sends ? "send to" : "receive from", end.peer),
          session.cluster().places.at(plan.place_of(own)).name,
          time.timing.start,
          time.timing.end - time.timing.start};
}

std::uint32_t place_here(const runtime::Session& session, const plan::Plan& plan,
                         const plan::Operation& operation) {
  const runtime::ClusterTask* const task = session.task();
  return task == nullptr ? operation.place : plan::place_on_host(plan, operation, task->host);
}

report::TraceEvent operation_event(const runtime::Session& session, const plan::Plan& plan,
                                   const runtime::OperationTime& time) {
  const plan::Operation& operation = operation_of(plan, time);
  if (operation.lane == plan::kNetworkLane) return network_event(session, plan, time);
  std::string name(plan::operation_name(operation.kind));
  if (plan::is_compute(operation.kind))
    name += fmt::format(" {}", segment_name(session.graph(), operation));
  return {name,
          time.operation,
          std::string(plan::lane_name(operation.lane)),
          session.cluster().places.at(place_here(session, plan, operation)).name,
          time.timing.start,
          time.timing.end - time.timing.start};
}

// Returns the time from the first start to the last end.
runtime::TimeInterval extent(const std::vector<runtime::OperationTime>& operations) {
  runtime::TimeInterval whole{operations.front().timing.start, operations.front().timing.end};
  for (const runtime::OperationTime& time : operations) {
    whole.start = std::min(whole.start, time.timing.start);
    whole.end = std::max(whole.end, time.timing.end);
  }
  return whole;
}

// Adds the calls of the record that lie inside the operation.
void add_calls(const runtime::Session& session, const convoy_profile_record& record,
               const report::TraceEvent& operation, std::vector<report::TraceEvent>& events) {
  const double end = operation.start_seconds + operation.duration_seconds;
  const std::uint64_t kept = std::min<std::uint64_t>(record.calls, CONVOY_PROFILE_RECENT);
  for (std::uint64_t i = 0; i < kept; ++i) {
    const double start = record.recent_start[i];
    if (start < operation.start_seconds || record.recent_end[i] > end) continue;
    report::TraceEvent event = operation;
    event.name = fmt::format("{} {}", session.graph().nodes().at(record.node).name,
                             report::kPassNames.at(record.pass));
    event.start_seconds = start;
    event.duration_seconds = record.recent_end[i] - start;
    event.category = "layer";
    event.implementation = record.implementation;
    events.push_back(event);
  }
}

void add_layers(const runtime::Session& session, const runtime::StepTrace& trace,
                std::vector<report::TraceEvent>& events) {
  const std::vector<std::vector<convoy_profile_record>> records = session.profile();
  // The replicas that the records belong to.
  const std::vector<std::uint32_t>& replicas = session.local_replicas();
  for (const runtime::OperationTime& time : trace.operations) {
    const plan::Operation& operation = operation_of(plan_of(session, trace), time);
    if (!plan::is_compute(operation.kind)) continue;
    const bool forward = operation.kind == plan::OperationKind::kForward;
    const report::TraceEvent outer = operation_event(session, plan_of(session, trace), time);
    const auto own = std::ranges::find(replicas, operation.replica) - replicas.begin();
    for (const convoy_profile_record& record : records.at(static_cast<std::size_t>(own))) {
      const bool inside = record.node >= operation.first_layer &&
                          record.node < operation.first_layer + operation.layer_count;
      if (inside && (record.pass == CONVOY_PASS_FORWARD) == forward)
        add_calls(session, record, outer, events);
    }
  }
}

}  // namespace

std::vector<report::TraceEvent> trace_events(const runtime::Session& session,
                                             const runtime::StepTrace& trace) {
  std::vector<report::TraceEvent> events;
  if (trace.operations.empty()) return events;
  const runtime::TimeInterval whole = extent(trace.operations);
  report::TraceEvent step{fmt::format("step {}", trace.number),
                          std::nullopt,
                          "steps",
                          kHostProcess,
                          whole.start,
                          whole.end - whole.start};
  step.category = "step";
  events.push_back(step);
  for (const runtime::StepTrace::InputWait& wait : trace.waits) {
    const double start = std::max(wait.time.start, whole.start);
    const double end = std::min(wait.time.end, whole.end);
    if (end <= start) continue;
    report::TraceEvent event{fmt::format("batch of step {}", wait.step),
                             std::nullopt,
                             "input",
                             kHostProcess,
                             start,
                             end - start};
    event.category = "input";
    events.push_back(event);
  }
  for (const runtime::OperationTime& time : trace.operations)
    events.push_back(operation_event(session, plan_of(session, trace), time));
  if (session.options().profile) add_layers(session, trace, events);
  if (trace.strand)
    for (report::TraceEvent& event : events)
      event.lane += fmt::format(" (worker {})", *trace.strand);
  return events;
}

}  // namespace convoy::job
