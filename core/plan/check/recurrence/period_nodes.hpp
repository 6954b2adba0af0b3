#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "core/plan/check/recurrence/cut_closure.hpp"
#include "core/plan/check/recurrence/push_sum.hpp"
#include "core/plan/check/recurrence/symmetric_products.hpp"
#include "core/plan/check/symbolic/symbolic_run.hpp"

namespace convoy::plan::check {

// Memory in a period's map: a buffer that survives the period, or the contents that one forward
// read.
struct PeriodSide {
  std::uint32_t buffer = CONVOY_NONE;
  const ForwardRead* read = nullptr;
  bool arena = false;  // its elements are numbered as the arena
  std::vector<Piece> pieces;
};

// A stretch of a side whose elements are all treated in the same way.
struct PeriodNode {
  std::uint32_t side = 0;
  ElementRange range{};
  ValueId value = 0;                    // its value when the period ends
  std::optional<std::uint64_t> offset;  // its offset in the arena
};

// All memory that one period reads and leaves behind, cut wherever anything differs. Throws
// OverBudget.
class PeriodNodes {
 public:
  // Arguments as for map_period(). `symmetric` may be null; else its products are sums with an
  // error of kind kCast. `ratios` may be null; else its quotients are multiples of their sums.
  PeriodNodes(const Plan& plan, const SymbolicRun& period, const SymbolicRun& begun,
              const SymmetricProducts* symmetric, const PushSum* ratios);

  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  PeriodNode& operator[](std::size_t node) { return nodes_[node]; }
  const PeriodSide& side(const PeriodNode& node) const { return sides_[node.side]; }
  // Returns the terms whose sum is the node's value.
  const std::vector<Term>& terms(const PeriodNode& node) { return terms_of(node.value); }
  AtomKind kind(const Term& term) const {
    return is_symmetric(term.atom) ? AtomKind::kCast : values_.atom(term.atom).kind;
  }
  // Returns the node whose content at the beginning of the period is the term. The term must be of
  // kind kHeld.
  std::uint32_t held(const PeriodNode& node, const Term& term) const;

 private:
  void collect_sides(const Plan& plan, const SymbolicRun& period);
  void cut(CutClosure& cuts, std::uint32_t side, const SymbolicRun& begun);
  std::uint32_t shifting_operation(std::uint32_t cuts);
  const std::vector<Term>& terms_of(ValueId value);
  bool is_symmetric(AtomId atom) const {
    return symmetric_ != nullptr && symmetric_->contains(atom);
  }
  std::vector<Term> through_ratios(std::vector<Term> terms) const;
  std::vector<Term> through_symmetric(std::vector<Term> terms) const;
  // All sides that are numbered as the arena have the same cuts.
  std::uint32_t cuts_of(std::uint32_t side) const { return sides_[side].arena ? 0 : side + 1; }
  std::uint32_t held_side(const Term& term) const;

  const ValueTable& values_;
  const SymmetricProducts* symmetric_;
  const PushSum* ratios_;
  std::vector<PeriodSide> sides_;
  std::vector<std::uint32_t> side_of_;  // by buffer
  std::vector<PeriodNode> nodes_;
  std::vector<std::size_t> first_node_;  // by side
  std::map<ValueId, std::vector<Term>> terms_;
  // Pieces that occur several times: cuts, value, first element and count.
  std::set<std::tuple<std::uint32_t, ValueId, std::uint64_t, std::uint64_t>> linked_;
};

}  // namespace convoy::plan::check
