#include "core/plan/check/report/explain.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/plan/check/findings.hpp"
#include "core/plan/stages.hpp"

namespace convoy::plan::check {
namespace {

bool is_inexact(const Operation& it) {
  return it.kind == OperationKind::kCast || it.kind == OperationKind::kCall ||
         it.kind == OperationKind::kMatmul || has_factor(it.kind) || is_compression(it.kind);
}
bool is_update(const Operation& it) {
  return it.kind == OperationKind::kApply;
}

// Returns the replica that owns the memory; CONVOY_NONE if no replica owns it.
std::uint32_t replica_of(const Plan& plan, const PlanSpan& span) {
  const PlanBuffer& buffer = plan.buffers[span.buffer];
  if (buffer.kind == CONVOY_BUFFER_PARAMETERS || buffer.kind == CONVOY_BUFFER_GRADIENT)
    return buffer.owner;
  return plan.cluster->places[buffer.place].replica;
}

// Returns the operation that decides: the first operation of the kind that explains most.
const Operation* deciding_operation(const Plan& plan, const CheckReport& report) {
  const auto changes_parameters = [&](const Operation& it) {
    return !is_update(it) && !only_moves(it.kind) && !it.writes.empty() &&
           plan.buffers[it.writes.front().buffer].is_of_model();
  };
  const auto brings_parameters = [&](const Operation& it) {
    return only_moves(it.kind) &&
           plan.buffers[it.writes.front().buffer].kind == CONVOY_BUFFER_PARAMETERS;
  };
  const auto first = [&](auto tells) -> const Operation* {
    const auto found = std::find_if(plan.body.begin(), plan.body.end(), tells);
    return found == plan.body.end() ? nullptr : &*found;
  };
  if (const Operation* loose = first(is_loose)) return loose;
  if (report.verdict == Verdict::kApproximate) {
    if (const Operation* inexact = first(is_inexact)) return inexact;
    if (report.against_stricter) return &operation_of(plan, report.against_stricter->operation);
    if (const Operation* changed = first(changes_parameters)) return changed;
  }
  // Forwards do not read the newest parameters.
  if (report.verdict == Verdict::kStale && report.parameter_lag > 0)
    if (const Operation* brought = first(brings_parameters)) return brought;
  return first(is_update);
}

}  // namespace

std::string explain_verdict(const Plan& plan, const CheckReport& report) {
  if (report.verdict == Verdict::kSynchronous || !report.findings.empty()) return "";
  for (std::size_t stage = 0; stage < report.stages.size(); ++stage)
    if (report.stages[stage].report.verdict == report.verdict)
      return explain_verdict(stage_of(plan, stage), report.stages[stage].report);
  const Operation* operation = deciding_operation(plan, report);
  if (operation == nullptr) return "";
  const auto& against = report.against_stricter;
  const bool is_found = against && against->operation == operation->id;
  const PlanSpan& span =
      operation->writes.empty() ? operation->reads.front() : operation->writes.front();
  const std::uint32_t replica = replica_of(plan, span);
  return fmt::format("it is {} because of {} (operation {}) on {}{}{}",
                     verdict_name(report.verdict), operation_name(operation->kind), operation->id,
                     plan.span_name(span),
                     replica == CONVOY_NONE ? "" : fmt::format(", replica {}", replica),
                     is_found ? ": " + against->what : "");
}

}  // namespace convoy::plan::check
