#include "core/plan/make_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/plan/plan_writer.hpp"
#include "core/plan/print/print.hpp"

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

// Of two writings; empty when these two happen to be equal.
std::string first_difference(const Plan& a, const Plan& b) {
  const auto line = [](const Plan& plan, std::size_t index) {
    const std::size_t prologue = plan.prologue.size();
    if (index >= prologue + plan.body.size()) return std::string("nothing");
    return operation_line(plan,
                          index < prologue ? plan.prologue[index] : plan.body[index - prologue]);
  };
  const std::size_t most =
      std::max(a.prologue.size() + a.body.size(), b.prologue.size() + b.body.size());
  for (std::size_t i = 0; i < most; ++i)
    if (line(a, i) != line(b, i))
      return fmt::format(", first at operation {}: {}, and another time {}", i, line(a, i),
                         line(b, i));
  return "";
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
  if (first.digest() == second.digest()) return plan;
  PlanWriter third(cluster, arena);
  let_write(name, third, write);
  fail(ExitCode::kFailed,
       "strategy {} wrote two different plans for the same cluster and model ({} and {} "
       "operations){}; plan() must not depend on time, randomness or its own earlier calls",
       name, first.operations(), second.operations(), first_difference(plan, third.finish()));
}

}  // namespace convoy
