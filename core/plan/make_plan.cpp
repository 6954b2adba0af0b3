#include "core/plan/make_plan.hpp"

#include "core/base/error.hpp"
#include "core/plan/plan_writer.hpp"

namespace convoy {

Plan sketch_plan(const std::string& name, const Cluster& cluster, const ArenaMap& arena,
                 const std::function<void(const convoy_planner&)>& write) {
  PlanWriter writer(cluster, arena);
  try {
    write(*writer.table());
  } catch (const Error& error) {
    if (writer.error().empty()) throw;
    fail(error.code(), "strategy {} wrote a plan that cannot be: {}", name, writer.error());
  }
  // A strategy may have ignored a refusal.
  if (!writer.error().empty())
    fail(ExitCode::kFailed, "strategy {} wrote a plan that cannot be: {}", name, writer.error());
  return writer.finish();
}

Plan make_plan(const std::string& name, const Cluster& cluster, const ArenaMap& arena,
               const std::function<void(const convoy_planner&)>& write) {
  Plan first = sketch_plan(name, cluster, arena, write);
  const Plan second = sketch_plan(name, cluster, arena, write);
  if (plan_hash(first) != plan_hash(second))
    fail(ExitCode::kFailed,
         "strategy {} wrote two different plans for the same cluster and model ({} and {} "
         "operations); plan() must not depend on time, randomness or its own earlier calls",
         name, first.prologue.size() + first.body.size(),
         second.prologue.size() + second.body.size());
  return first;
}

}  // namespace convoy
