#include "core/plan/check/recurrence/projection_bases.hpp"

#include <algorithm>

#include "core/plan/check/findings.hpp"

namespace convoy::plan::check {

ProjectionBases::ProjectionBases(const Plan& plan, const SymbolicRun& period)
    : plan_(plan), period_(period), values_(period.values()) {
  for (AtomId id = 0; id < values_.atoms(); ++id)
    if (values_.atom(id).basis != kNoAtom)
      projected_[values_.atom(id).basis].insert(values_.atom(id).reads.front());
}

bool ProjectionBases::turns(AtomId basis) {
  std::set<AtomId> known;
  return iterates(basis, products(values_.atom(basis).inputs)) || alternates(basis, known);
}

bool ProjectionBases::iterates(AtomId basis, const std::vector<AtomId>& products) {
  std::set<ContentId> left = projected_[basis];
  const bool turn = std::ranges::all_of(products, [&](AtomId id) {
    const Atom& product = values_.atom(id);
    left.erase(product.reads.front());
    return projected_[basis].contains(product.reads.front()) &&
           std::ranges::all_of(product.sides[1], [&](ValueId columns) {
             return turns_to(columns, basis) || is_renewed(columns);
           });
  });
  return turn && left.empty();
}

// Whether the contents of this memory at the period's end consist only of products with the basis.
bool ProjectionBases::turns_to(ValueId held, AtomId basis) const {
  const std::vector<Term> terms = values_.expand(held, Casts::kKept);
  return !terms.empty() && std::ranges::all_of(terms, [&](const Term& term) {
    const Atom& atom = values_.atom(term.atom);
    if (atom.kind != AtomKind::kHeld) return false;
    return std::ranges::all_of(period_.memory(atom.buffer).intervals(), [&](const auto& interval) {
      const std::vector<AtomId> made = products({interval.value});
      return !made.empty() && std::ranges::all_of(made, [&](AtomId product) {
        const auto& sides = values_.atom(product).sides;
        const std::vector columns{values_.leaf_of(basis)};
        return sides[0] == columns || sides[1] == columns;
      });
    });
  });
}

bool ProjectionBases::is_renewed(ValueId columns) {
  const std::vector<Term> terms = values_.expand(columns, Casts::kKept);
  for (const Term& term : terms) {
    const Atom& atom = values_.atom(term.atom);
    if (atom.kind != AtomKind::kOpaque) return false;
    const Operation& operation = operation_of(plan_, atom.operation);
    const bool by_step = std::ranges::all_of(
        atom.inputs, [&](ValueId input) { return values_.expand(input, Casts::kKept).empty(); });
    if (operation.kind != OperationKind::kCall || (!by_step && !goes_on(atom))) return false;
    renewed_by_[operation.details->kernel] |= by_step;
  }
  return !terms.empty();
}

// Whether the kernel reads memory in which the period leaves the kernel's own results.
bool ProjectionBases::goes_on(const Atom& made) const {
  const auto is_its = [&](ValueId value) {
    const Value& left = values_.value(value);
    return left.leaf && !left.poison && values_.atom(left.atom).operation == made.operation;
  };
  return std::ranges::any_of(made.inputs, [&](ValueId input) {
    return std::ranges::all_of(left_by_period({input}), is_its);
  });
}

// Follows the bases until it reaches a known one.
bool ProjectionBases::alternates(AtomId basis, std::set<AtomId>& known) const {
  if (!known.insert(basis).second) return true;
  std::set<Rest> rests;
  for (const AtomId product : products(left_by_period(values_.atom(basis).inputs)))
    rests.insert(rest_beside(product));
  const bool follows = !rests.empty() && std::ranges::all_of(rests, [&](const Rest& it) {
    return it.basis != kNoAtom && it.basis != basis && alternates(it.basis, known);
  });
  return follows && std::ranges::all_of(projected_.at(basis),
                                        [&](ContentId matrix) { return has_rest(matrix, rests); });
}

// If this is the product of a matrix and a basis, returns the part of the matrix that the basis
// leaves out.
ProjectionBases::Rest ProjectionBases::rest_beside(AtomId product) const {
  const Atom& atom = values_.atom(product);
  for (const std::size_t side : {0, 1}) {
    if (atom.sides[side].size() != 1) continue;
    const Value& columns = values_.value(atom.sides[side].front());
    if (!columns.leaf || columns.poison) continue;
    const auto known = projected_.find(columns.atom);
    if (known != projected_.end() && known->second.contains(atom.reads[1 - side]))
      return {columns.atom, atom.reads[1 - side]};
  }
  return {};
}

// Whether the matrix, or what memory held of the previous period, contains such a rest. A
// projection is its matrix plus the error, so the rest is minus the error.
bool ProjectionBases::has_rest(ContentId matrix, const std::set<Rest>& rests) const {
  const auto is_rest = [&](const Term& term) {
    const Atom& atom = values_.atom(term.atom);
    return atom.basis != kNoAtom && (term.weight + whole(1)).is_zero() &&
           rests.contains({atom.basis, atom.reads.front()});
  };
  const auto has = [&](ValueId value) {
    return std::ranges::any_of(values_.expand(value, Casts::kErrors), is_rest);
  };
  return std::ranges::all_of(period_.contents().content(matrix), [&](const Piece& piece) {
    if (has(piece.value)) return true;
    std::vector<ValueId> left;
    for (const Term& term : values_.expand(piece.value, Casts::kKept))
      for (const ValueId value : left_by_period({values_.leaf_of(term.atom)}))
        left.push_back(value);
    return std::ranges::any_of(left, has);
  });
}

// Returns the products of matrices in these values; none if there is anything else.
std::vector<AtomId> ProjectionBases::products(const std::vector<ValueId>& values) const {
  std::vector<AtomId> result;
  for (const ValueId value : values)
    for (const Term& term : values_.expand(value, Casts::kKept)) {
      const Atom& atom = values_.atom(term.atom);
      if (atom.kind != AtomKind::kOpaque || atom.sides[1].empty()) return {};
      result.push_back(term.atom);
    }
  return result;
}

// Replaces contents that memory held by those that the period leaves there.
std::vector<ValueId> ProjectionBases::left_by_period(const std::vector<ValueId>& values) const {
  std::vector<ValueId> result;
  for (const ValueId value : values) {
    const Value& known = values_.value(value);
    if (!known.leaf || known.poison || values_.atom(known.atom).kind != AtomKind::kHeld) {
      result.push_back(value);
      continue;
    }
    for (const auto& interval : period_.memory(values_.atom(known.atom).buffer).intervals())
      result.push_back(interval.value);
  }
  return result;
}

}  // namespace convoy::plan::check
