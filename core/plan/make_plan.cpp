#include "core/plan/make_plan.hpp"

#include "core/base/error.hpp"
#include "core/plan/plan_writer.hpp"

namespace convoy {
namespace {

using Write = std::function<void(const convoy_planner&)>;

void let_write(const std::string& name, PlanWriter& writer, const Write& write) {
  try {
    write(*writer.table());
  } catch (const Error& error) {
    if (writer.error().empty()) throw;
    fail(error.code(), "strategy {} wrote a plan that cannot be: {}", name, writer.error());
  }
  // A strategy may have ignored a refusal.
  if (!writer.error().empty())
    fail(ExitCode::kFailed, "strategy {} wrote a plan that cannot be: {}", name, writer.error());
}

}  // namespace

Plan sketch_plan(const std::string& name, const Cluster& cluster, const ArenaMap& arena,
                 const Write& write) {
  PlanWriter writer(cluster, arena);
  let_write(name, writer, write);
  return writer.finish();
}

Plan make_plan(const std::string& name, const Cluster& cluster, const ArenaMap& arena,
               const Write& write) {
  PlanWriter first(cluster, arena, PlanWriter::Purpose::kListen);
  let_write(name, first, write);
  PlanWriter second(cluster, arena);
  second.expect(first.operations());
  let_write(name, second, write);
  Plan plan = second.finish();
  if (first.digest() != second.digest())
    fail(ExitCode::kFailed,
         "strategy {} wrote two different plans for the same cluster and model ({} and {} "
         "operations); plan() must not depend on time, randomness or its own earlier calls",
         name, first.operations(), second.operations());
  return plan;
}

}  // namespace convoy
