#include "core/plan/check/stages/inherited_matrices.hpp"

#include <algorithm>
#include <memory>

#include "core/plan/check/recurrence/period_map.hpp"
#include "core/plan/check/symbolic/induction.hpp"
#include "core/plan/range_set.hpp"

namespace convoy::plan::check {
namespace {

// Whether all buffers that the proof takes for equal to this one are equal to it in the run, too.
bool is_alike_too(const SymbolicRun& of_proof, const SymbolicRun& of_run, std::uint32_t buffer,
                  std::uint32_t buffers) {
  for (std::uint32_t other = 0; other < buffers; ++other)
    if (of_proof.holds_as(other) == of_proof.holds_as(buffer) &&
        of_run.holds_as(other) != of_run.holds_as(buffer))
      return false;
  return true;
}

// Returns, by buffer, memory from which nothing reaches a forward, except through projections.
std::vector<RangeSet> unread_ranges(const Plan& stage, const PeriodMap& map) {
  std::vector<RangeSet> result(stage.buffers.size());
  for (const PeriodState& it : map.unread)
    if (it.buffer != CONVOY_NONE) result[it.buffer].add(it.range);
  return result;
}

bool covers(const RangeSet& ranges, const ElementRange& range) {
  bool whole = true;
  ranges.for_each_gap(range, [&](const ElementRange&) { whole = false; });
  return whole;
}

}  // namespace

bool is_matrix(const ValueTable& values, ValueId id) {
  const Value& value = values.value(id);
  if (value.poison || !value.constant.is_zero()) return false;
  const std::vector<Term> terms = values.expand(id, Casts::kThrough);
  return !terms.empty() && std::ranges::all_of(terms, [&](const Term& term) {
    return values.atom(term.atom).matrix.makes_matrix();
  });
}

std::optional<UnfitMatrix> find_unfit_matrix(const Plan& stage, const SymbolicRun& proved,
                                             const SymbolicRun& run,
                                             const std::vector<InheritedMatrix>& matrices,
                                             Budget& budget) {
  const std::unique_ptr<SymbolicRun> of_proof = run_inductive_period(stage, budget, proved);
  const std::unique_ptr<SymbolicRun> of_run = run_inductive_period(stage, budget, run);
  const PeriodMap map = map_period(stage, *of_run, run, Begun::kEarlierStages);
  const bool is_known =
      map.faults.empty() && std::ranges::all_of(map.systems, [](const LinearSystem& it) {
        return it.opaque_atoms.empty();
      });
  const std::vector<RangeSet> unread = unread_ranges(stage, map);
  for (const InheritedMatrix& it : matrices) {
    if (!is_alike_too(*of_proof, *of_run, it.buffer,
                      static_cast<std::uint32_t>(stage.buffers.size())))
      return UnfitMatrix{it, "which is not the same for all replicas"};
    if (!is_known ||
        (of_run->relevant(it.buffer) && !covers(unread[of_run->holds_as(it.buffer)], it.range)))
      return UnfitMatrix{it, "which gets into more than the bases of projections"};
  }
  return std::nullopt;
}

}  // namespace convoy::plan::check
