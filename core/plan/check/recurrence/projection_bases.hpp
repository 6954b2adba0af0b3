#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/plan/check/recurrence/period_map.hpp"

namespace convoy::plan::check {

// Judges whether the bases of projections change from step to step, so that the part which one
// basis leaves out can be inside a later one. There are three ways:
// - a power iteration: the basis is made of products of all projected matrices with memory that
//   this period sets to products with the basis (PowerSGD; Vogels et al., 2019);
// - new columns: the basis is made of products of all projected matrices with the result of a
//   kernel in this period. The kernel computes it from the step's number, or from what it left in
//   memory in the previous period. The author declares that the kernel makes other columns in every
//   step;
// - alternating bases (ACP-SGD; Zhang et al., 2023): matrices are projected on one basis, and their
//   products with it make the next one. What the first basis left out is in the matrices that are
//   projected on the next one, and so on until the first one returns in the following period.
class ProjectionBases {
 public:
  // `period` was run from any memory.
  ProjectionBases(const Plan& plan, const SymbolicRun& period);

  bool turns(AtomId basis);
  // The kernels that make columns, and whether they use only the step's number.
  const std::map<std::string, bool>& renewed_by() const { return renewed_by_; }

 private:
  bool iterates(AtomId basis, const std::vector<AtomId>& products);
  bool turns_to(ValueId held, AtomId basis) const;
  bool is_renewed(ValueId columns);
  bool goes_on(const Atom& made) const;
  bool alternates(AtomId basis, std::set<AtomId>& known) const;
  std::vector<AtomId> products(const std::vector<ValueId>& values) const;
  std::vector<ValueId> left_by_period(const std::vector<ValueId>& values) const;
  struct Rest {
    AtomId basis = kNoAtom;
    ContentId of = 0;
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the generated 0 for a pointer.
    auto operator<=>(const Rest&) const = default;
  };
  Rest rest_beside(AtomId product) const;
  bool has_rest(ContentId matrix, const std::set<Rest>& rests) const;

  const Plan& plan_;
  const SymbolicRun& period_;
  const ValueTable& values_;
  std::map<AtomId, std::set<ContentId>> projected_;  // the contents that are projected on each
                                                     // basis
  std::map<std::string, bool> renewed_by_;
};

}  // namespace convoy::plan::check
