#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/plan/check/symbolic/symbolic_run.hpp"

namespace convoy::plan::check {

// The quotients of push-sum (stochastic gradient push; Assran et al., 2019) are parameters: a sum
// divided by its weight. Both are passed on by the same fractions; the weights begin as constants,
// and the sums as multiples of the first parameters. So without gradients a quotient stays equal to
// the parameters, whatever the weights are. The weights do not depend on the run, and they
// converge: in the end a quotient is its sum divided by a constant.
class PushSum {
 public:
  // `period` was run from any memory, `begun` has run the prologue. Throws OverBudget.
  PushSum(const Plan& plan, const SymbolicRun& period, const SymbolicRun& begun);

  struct Ratio {
    ValueId sum = 0;
    Weight times;  // one over the sum's final weight
  };
  // Null: the atom is no such quotient.
  const Ratio* find(AtomId atom) const;

  // If the buffer holds a sum, returns the multiple of the first parameters that it holds in the
  // end, without gradients.
  std::optional<Weight> settled(std::uint32_t buffer) const;

 private:
  enum class Part { kSum, kWeight };
  using Row = std::map<std::uint32_t, Weight>;  // by buffer
  // A set of buffers that every period maps linearly to themselves, in the same way.
  struct Flow {
    Part part = Part::kSum;
    std::map<std::uint32_t, Row> step;
    Row held;  // the initial contents, later the final ones
  };
  struct Candidate {
    AtomId atom = 0;
    Row sum;
    Row weight;
  };

  void find_candidates();
  std::optional<Row> held_in(ValueId value, Part part, bool anywhere) const;
  std::optional<Weight> start_of(std::uint32_t buffer, Part part) const;
  bool extend(Flow& flow, const Row& by) const;
  Weight times(const Row& row, const Row& held) const;
  Row next(const Flow& flow, const Row& held) const;
  bool stay_positive() const;
  void keep_equal();
  bool settle(Flow& flow) const;
  bool are_all_uses() const;
  bool uses_sums(ValueId value) const;

  const Plan& plan_;
  const SymbolicRun& period_;
  const SymbolicRun& begun_;
  const ValueTable& values_;
  Flow sums_{Part::kSum, {}, {}};
  Flow weights_{Part::kWeight, {}, {}};
  std::vector<Candidate> candidates_;
  std::map<AtomId, Ratio> ratios_;
};

}  // namespace convoy::plan::check
