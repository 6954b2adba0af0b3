#include "core/plan/check/symbolic/induction.hpp"

#include <map>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

namespace convoy::plan::check {
namespace {

// After this many attempts, no buffers are taken for equal.
constexpr int kMostAttempts = 4;

using Leaders = std::vector<std::uint32_t>;  // by buffer: the first buffer with the same contents

Leaders each_alone(const Plan& plan) {
  Leaders result(plan.buffers.size());
  std::iota(result.begin(), result.end(), 0u);
  return result;
}

// Splits the groups of equal buffers by their contents in the run. Buffers on which no forward
// depends stay alone.
Leaders equal_in(const Plan& plan, const SymbolicRun& run, const Leaders& before) {
  Leaders result = each_alone(plan);
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint64_t,
                      std::vector<std::uint64_t>>,
           std::uint32_t>
      first;
  for (std::uint32_t b = 0; b < plan.buffers.size(); ++b) {
    const PlanBuffer& it = plan.buffers[b];
    if (it.kind == CONVOY_BUFFER_SCRATCH || !run.relevant(b)) continue;
    result[b] =
        first.try_emplace({before[b], it.kind, it.dtype, it.count, run.memory(b).words()}, b)
            .first->second;
  }
  return result;
}

}  // namespace

std::unique_ptr<SymbolicRun> run_inductive_period(const Plan& plan, Budget& budget,
                                                  const SymbolicRun& begun) {
  const Leaders alone = each_alone(plan);
  const std::uint64_t spent_before = budget.spent();
  Leaders equal = equal_in(plan, begun, Leaders(plan.buffers.size(), 0));
  for (int attempt = 1;; ++attempt) {
    auto run = std::make_unique<SymbolicRun>(plan, budget, equal);
    run->run_period();
    if (equal == alone) return run;
    Leaders still = equal_in(plan, *run, equal);
    if (still == equal) return run;
    budget.give_back(spent_before);
    if (attempt < kMostAttempts)
      equal = std::move(still);
    else
      equal = alone;
  }
}

std::unique_ptr<SymbolicRun> run_unshared_inductive_period(const Plan& plan, Budget& budget) {
  auto run = std::make_unique<SymbolicRun>(plan, budget, each_alone(plan));
  run->run_period();
  return run;
}

}  // namespace convoy::plan::check
