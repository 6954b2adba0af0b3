#pragma once

#include <map>
#include <vector>

#include "core/plan/check/recurrence/system_report.hpp"
#include "core/plan/check/stages/earlier_counts.hpp"
#include "core/plan/check/symbolic/symbolic_run.hpp"
#include "core/plan/range_set.hpp"

namespace convoy::plan::check {

// The parts of which a value is made.
enum class Residue {
  kNothing,    // it is zero
  kErrors,     // only parts that casts and compressors left out
  kGradients,  // sums of gradients, such as momentum; perhaps such omitted parts, too
  kMore,
};
Residue residue_of(const ValueTable& values, ValueId value);

// The parts that casts and compressors left out: for each such atom, the elements that memory
// holds.
using HeldErrors = std::map<AtomId, RangeSet>;
// Returns the errors in the persistent memory that the stage's prologue, which comes next, writes.
HeldErrors errors_in_reach(const Plan& stage, SymbolicRun& run);
// Whether some of these errors are no longer in any persistent memory, though the model lacks them.
bool has_dropped(const HeldErrors& before, const Content& model, const Plan& stage,
                 SymbolicRun& run);

// The fate of residuals and momentum that an earlier stage leaves to a stage.
struct InheritedResiduals {
  std::vector<SystemFinding> findings;
  bool loses = false;  // a part of them never gets into the parameters
  // How often each earlier gradient counts if a momentum continues with another weight, see
  // counts_by_changed_momentum(); else empty.
  std::vector<double> changed;
};

// `run` has gone through all earlier stages and this one's prologue. The stage itself was proved
// with zeros where residuals are now. So one of its periods is judged as a linear map, from the
// state of the run. The parts that were rounded off or compressed away must get into the parameters
// once at most, and must not be added again in every step. Every earlier gradient must count in the
// end as often as its stage says, or as a momentum of both stages makes it. Throws OverBudget.
InheritedResiduals judge_inherited_residuals(const Plan& stage, const SymbolicRun& run,
                                             const EarlierCounts& counts, Budget& budget);

}  // namespace convoy::plan::check
