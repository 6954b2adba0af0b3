#pragma once

#include <memory>

#include "core/plan/check/symbolic/symbolic_run.hpp"

namespace convoy::plan::check {

// Induction over periods: runs one period from any memory, which holds an atom for each buffer
// (AtomKind::kHeld). Buffers that have equal contents at the beginning of every period share one
// atom. The base case is `begun`, which has run only the prologue: it shows that they are equal
// before the first period. The run shows that every period leaves them equal. So thousands of
// replicas with equal contents need one atom, not thousands. But an atom for several parts of the
// arena has no position in the arena. An attempt that fails does not count in the budget. Throws
// OverBudget.
std::unique_ptr<SymbolicRun> run_inductive_period(const Plan& plan, Budget& budget,
                                                  const SymbolicRun& begun);

// The same, but every buffer has an atom of its own.
std::unique_ptr<SymbolicRun> run_unshared_inductive_period(const Plan& plan, Budget& budget);

}  // namespace convoy::plan::check
