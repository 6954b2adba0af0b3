#include "core/plan/make_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/plan/plan_writer.hpp"
#include "core/plan/print/print.hpp"
#include "core/plan/stages.hpp"

namespace convoy::plan {
namespace {

using Write = std::function<void(const convoy_planner&)>;

// Runs the strategy. It may ignore a refusal, so this checks for one afterwards.
void let_write(const std::string& name, PlanWriter& writer, const Write& write) {
  ExitCode code = ExitCode::kFailed;
  try {
    write(*writer.table());
  } catch (const Error& error) {
    if (writer.error().empty()) throw;
    code = error.code();
  }
  if (writer.is_too_large()) fail(ExitCode::kUsage, "strategy {}: {}", name, writer.error());
  if (!writer.error().empty())
    fail(code, "strategy {} wrote an invalid plan: {}", name, writer.error());
}

std::vector<const Operation*> operations_of(const Plan& plan) {
  std::vector<const Operation*> result;
  for (const std::vector<Operation>* section : sections_of(plan))
    for (const Operation& operation : *section) result.push_back(&operation);
  return result;
}

// Returns the first difference of two plans of one strategy; empty if they happen to be equal.
std::string first_difference(const Plan& a, const Plan& b) {
  const std::vector<const Operation*> of_a = operations_of(a);
  const std::vector<const Operation*> of_b = operations_of(b);
  const auto line = [](const Plan& plan, const std::vector<const Operation*>& all, std::size_t i) {
    return i < all.size() ? operation_line(plan, *all[i]) : std::string("nothing");
  };
  for (std::size_t i = 0; i < std::max(of_a.size(), of_b.size()); ++i)
    if (line(a, of_a, i) != line(b, of_b, i))
      return fmt::format(", first at operation {}: {}, and another time {}", i, line(a, of_a, i),
                         line(b, of_b, i));
  return "";
}

// `plan` is one of two plans with different digests.
[[noreturn]] void refuse_differing(const std::string& name, std::uint64_t operations,
                                   std::uint64_t other_operations, const Plan& plan,
                                   const Write& write) {
  PlanWriter third(*plan.cluster, *plan.arena);
  let_write(name, third, write);
  fail(ExitCode::kFailed,
       "strategy {} wrote two different plans for the same cluster and model ({} and {} "
       "operations){}; plan() must not depend on time, randomness or its own earlier calls",
       name, operations, other_operations, first_difference(plan, third.finish()));
}

}  // namespace

PlanSketch sketch_plan(const std::string& name, const Cluster& cluster, const ArenaMap& arena,
                       const Write& write, std::uint64_t operations) {
  PlanWriter writer(cluster, arena);
  writer.expect(operations);
  let_write(name, writer, write);
  return {writer.finish(), writer.digest(), writer.operations()};
}

void require_same_again(const std::string& name, const PlanSketch& sketch, const Write& write) {
  PlanWriter again(*sketch.plan.cluster, *sketch.plan.arena, PlanWriter::Purpose::kListen);
  let_write(name, again, write);
  if (again.digest() != sketch.digest)
    refuse_differing(name, sketch.operations, again.operations(), sketch.plan, write);
}

// Stores the plan during the second writing, when its size is known.
PlanSketch make_plan(const std::string& name, const Cluster& cluster, const ArenaMap& arena,
                     const Write& write) {
  PlanWriter first(cluster, arena, PlanWriter::Purpose::kListen);
  let_write(name, first, write);
  PlanSketch second = sketch_plan(name, cluster, arena, write, first.operations());
  if (first.digest() != second.digest)
    refuse_differing(name, first.operations(), second.operations, second.plan, write);
  return second;
}

bool writes_the_same(const std::string& name, const PlanSketch& sketch, const Cluster& cluster,
                     const Write& write) {
  PlanWriter other(cluster, *sketch.plan.arena, PlanWriter::Purpose::kListen);
  let_write(name, other, write);
  return other.digest() == sketch.digest;
}

}  // namespace convoy::plan
