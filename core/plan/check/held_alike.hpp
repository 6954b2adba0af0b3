#pragma once

#include <memory>

#include "core/plan/check/symbolic.hpp"

namespace convoy::check {

// Runs one period from held memory, in which buffers that hold the same whenever a period begins
// have one atom. That is proved by induction: they do when the first one begins, as `begun`, which
// has run the prologue alone, shows, and a period that begins so leaves the same in them, as its
// run shows. So what thousands of replicas have in common is one thing, not thousands; but what
// stands for several parts of the arena has no place of its own in it. Throws OverBudget.
std::unique_ptr<SymbolicRun> run_from_held(const Plan& plan, Budget& budget,
                                           const SymbolicRun& begun);

// Likewise, but every buffer has an atom of its own.
std::unique_ptr<SymbolicRun> run_from_each_held(const Plan& plan, Budget& budget);

}  // namespace convoy::check
