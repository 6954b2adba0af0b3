#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/plan/check/symbolic/symbolic_run.hpp"

namespace convoy::plan::check {

// Whether a value is a sum of results of matrix products and orthogonalisation, such as the
// directions of a power iteration.
bool is_matrix(const ValueTable& values, ValueId value);

// Memory that holds such matrices of earlier stages when a stage begins.
struct InheritedMatrix {
  std::uint32_t buffer = 0;
  ElementRange range{};  // range of the buffer
};

// The reason why the proof of a stage does not hold with these matrices in place of the memory of
// the proof; none: it holds. `proved` has run the prologues with which the stage was proved. `run`
// has run all earlier stages and this one's prologue. A period may read the matrices only as bases
// of projections, so that nothing of them gets into parameters. Memory that the proof takes for
// equal must be equal. Throws OverBudget.
struct UnfitMatrix {
  InheritedMatrix where;
  std::string why;
};
std::optional<UnfitMatrix> find_unfit_matrix(const Plan& stage, const SymbolicRun& proved,
                                             const SymbolicRun& run,
                                             const std::vector<InheritedMatrix>& matrices,
                                             Budget& budget);

}  // namespace convoy::plan::check
