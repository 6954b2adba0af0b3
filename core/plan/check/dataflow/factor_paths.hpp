#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/plan/check/symbolic/values.hpp"
#include "core/plan/plan.hpp"

namespace convoy::plan::check {

// Follows gradients through multiply, divide and matmul to the applied sum. The sum must be linear
// in the gradients, and all of them must have the same factors. Every value is examined once.
class FactorPaths {
 public:
  FactorPaths(const Plan& plan, const ValueTable& values);

  // The reason why gradients may not count equally in this sum; empty when they do.
  std::string problem(ValueId sum);
  // Returns the operation that made an atom: "multiply (operation 12)".
  std::string maker(AtomId atom) const;

 private:
  // The factors that gradients meet, in order, each with the operation that multiplies. Equal paths
  // have equal numbers.
  using Path = std::uint32_t;
  static constexpr Path kNoFactor = 0;
  struct Found {
    // The paths of the gradients in the value; empty: it has no gradients. At most two are kept:
    // different paths stay different when both are extended, so more of them would decide nothing,
    // and their number may double with every product.
    std::set<Path> paths;
    std::string problem;

    void add(Path path) {
      if (paths.size() < 2) paths.insert(path);
    }
    void add(const Found& part);
  };

  Found of_sum(ValueId value) const;
  Found of_known(AtomId atom);
  Found of_product(const Atom& atom, const Operation& operation);
  Found of_matrices(AtomId id, const Atom& atom);
  Path longer(Path path, std::uint64_t factor, OperationKind by);
  void know(AtomId atom);
  std::vector<AtomId> older(AtomId atom) const;

  const Plan& plan_;
  const ValueTable& values_;
  bool has_any_ = false;  // whether the plan has any such operation
  std::map<AtomId, Found> known_;
  std::map<std::pair<Path, std::uint64_t>, Path> longer_;
};

}  // namespace convoy::plan::check
