#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/plan/check/values.hpp"
#include "core/plan/plan.hpp"

namespace convoy::check {

// Follows gradients through multiply, divide and matmul to the applied sum. The sum must be linear
// in the gradients, and all of them must have the same factors. Every value is examined once.
class FactorPaths {
 public:
  FactorPaths(const Plan& plan, const ValueTable& values);

  // The reason why gradients may not count equally in this sum; empty when they do.
  std::string problem(ValueId sum);
  // "multiply (operation 12)": the operation that made an atom.
  std::string maker(AtomId atom) const;

 private:
  // Factors in the order in which gradients meet them, each with the operation that multiplies.
  using Path = std::vector<std::uint64_t>;
  struct Found {
    std::set<Path> paths;  // of the gradients that lead there; none: no gradient does
    std::string problem;
  };

  Found of_sum(ValueId value) const;
  Found of_known(AtomId atom) const;
  Found of_product(const Atom& atom, const Operation& operation) const;
  Found of_matrices(AtomId id, const Atom& atom) const;
  void know(AtomId atom);
  std::vector<AtomId> older(AtomId atom) const;

  const Plan& plan_;
  const ValueTable& values_;
  bool has_any_ = false;  // such an operation
  std::map<AtomId, Found> known_;
};

}  // namespace convoy::check
