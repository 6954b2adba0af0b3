#include "core/plan/check/recurrence/symmetric_products.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/plan/check/findings.hpp"

namespace convoy::plan::check {
namespace {

// After this many attempts to find memory that stays symmetric, no memory is taken for symmetric.
constexpr int kMostSymmetryAttempts = 8;

// The gradients of a value, by compute and by distance.
class GradientsInValue {
 public:
  void add(const Atom& gradient, const Term& term) {
    parts_[{gradient.step, term.shift}].emplace(gradient.replica, term.weight.field);
  }
  // Whether the gradients of all replicas count alike.
  bool are_symmetric(std::uint32_t replicas) const {
    return std::ranges::all_of(parts_, [&](const auto& part) {
      const auto& weights = part.second;
      return weights.size() == replicas && std::ranges::all_of(weights, [&](const auto& it) {
               return it.second == weights.begin()->second;
             });
    });
  }

 private:
  std::map<std::pair<std::uint64_t, std::int64_t>, std::map<std::uint32_t, std::uint64_t>> parts_;
};

// Returns a key of a value, as if its elements were counted from that one on. Equal keys: equal
// contents.
std::vector<std::uint64_t> content_key(const ValueTable& values, ValueId id, std::uint64_t first) {
  const Value& value = values.value(id);
  std::vector<std::uint64_t> key{value.poison ? id + 1 : 0, value.constant.field};
  for (const Term& term : values.expand(id, Casts::kKept)) {
    key.push_back(term.atom);
    key.push_back(static_cast<std::uint64_t>(term.shift) + first);
    key.push_back(term.weight.field);
  }
  return key;
}

bool makes_product(OperationKind kind) {
  return has_factor(kind) || kind == OperationKind::kOrthogonalise;
}

}  // namespace

SymmetricProducts::SymmetricProducts(const Plan& plan, const SymbolicRun& period,
                                     const SymbolicRun& begun)
    : plan_(plan), period_(period), values_(period.values()) {
  if (std::ranges::none_of(plan.body, makes_product, &Operation::kind)) return;
  examine_memory(begun);
  find_equal(begun);
  for (int attempt = 0; attempt < kMostSymmetryAttempts; ++attempt) {
    examine_atoms();
    if (!lower_memory()) return;
  }
  atoms_.clear();
}

// Sets the highest symmetry that memory may have. Parameters are the same for all replicas, or
// their differences show in what replicas apply. Persistent memory that starts at zero may hold
// sums of gradients.
void SymmetricProducts::examine_memory(const SymbolicRun& begun) {
  for (std::uint32_t b = 0; b < plan_.buffers.size(); ++b) {
    const PlanBuffer& buffer = plan_.buffers[b];
    Symmetry most = Symmetry::kNone;
    if (buffer.is_of_model()) most = Symmetry::kKnown;
    if (buffer.kind == CONVOY_BUFFER_PERSISTENT)
      most = std::ranges::all_of(begun.memory(b).intervals(),
                                 [&](const auto& it) { return it.value == begun.values().zero(); })
                 ? Symmetry::kLinear
                 : Symmetry::kKnown;
    memory_.push_back(most);
  }
}

// Finds equal buffers, such as parameters and the copy of them that a server keeps. The period
// leaves the same contents in both, whatever they held before, so no induction is needed.
void SymmetricProducts::find_equal(const SymbolicRun& begun) {
  std::map<std::pair<std::vector<std::uint64_t>, std::vector<std::uint64_t>>, std::uint32_t> first;
  for (std::uint32_t b = 0; b < plan_.buffers.size(); ++b) {
    const PlanBuffer& buffer = plan_.buffers[b];
    equal_.push_back({b, 0});
    if (buffer.kind == CONVOY_BUFFER_SCRATCH || buffer.dtype != CONVOY_F32) continue;
    std::vector<std::uint64_t> ends = period_.memory(b).words();
    ends.push_back(buffer.count);
    equal_[b].buffer =
        first.try_emplace({begun.memory(b).words(), std::move(ends)}, b).first->second;
  }
  find_equal_pieces(begun);
}

// Finds buffers that are copies of a part of the model, such as one bucket of it.
void SymmetricProducts::find_equal_pieces(const SymbolicRun& begun) {
  std::map<std::vector<std::uint64_t>, std::vector<Place>> parts;
  for (std::uint32_t b = 0; b < plan_.buffers.size(); ++b)
    if (plan_.buffers[b].is_of_model())
      for (const auto& [first, value] : period_.memory(b).intervals())
        parts[content_key(values_, value, first)].push_back({b, static_cast<std::int64_t>(first)});
  for (std::uint32_t b = 0; b < plan_.buffers.size(); ++b) {
    if (plan_.buffers[b].kind != CONVOY_BUFFER_PERSISTENT || equal_[b].buffer != b) continue;
    const auto found = parts.find(content_key(values_, period_.memory(b).at(0), 0));
    if (found == parts.end()) continue;
    for (const Place& place : found->second) {
      if (!is_copy(period_, b, place) || !is_copy(begun, b, place)) continue;
      equal_[b] = place;
      break;
    }
  }
  // Buffers lead to one of their size, or from a part to the whole, so that every way ends.
  for (Place& place : equal_)
    while (equal_[place.buffer].buffer != place.buffer)
      place = {equal_[place.buffer].buffer, place.first + equal_[place.buffer].first};
}

// Whether the buffer has the contents of that part of the model.
bool SymmetricProducts::is_copy(const SymbolicRun& run, std::uint32_t buffer,
                                const Place& of) const {
  const auto first = static_cast<std::uint64_t>(of.first);
  const std::uint64_t count = plan_.buffers[buffer].count;
  const std::uint64_t whole = plan_.buffers[of.buffer].count;
  if (count == whole || first + count > whole) return false;
  std::set<std::uint64_t> begins;  // of stretches with one value in both
  for (const auto& interval : run.memory(buffer).intervals()) begins.insert(interval.first);
  for (const auto& interval : run.memory(of.buffer).intervals())
    if (interval.first > first && interval.first < first + count)
      begins.insert(interval.first - first);
  return std::ranges::all_of(begins, [&](std::uint64_t at) {
    return content_key(run.values(), run.memory(buffer).at(at), 0) ==
           content_key(run.values(), run.memory(of.buffer).at(first + at), first);
  });
}

// Goes from the oldest to the youngest, so that the parts of an atom are known.
void SymmetricProducts::examine_atoms() {
  atoms_.clear();
  for (AtomId id = 0; id < values_.atoms(); ++id) atoms_.push_back(examine(id));
}

// Memory is only as symmetric as what the period leaves there. Returns whether anything was
// lowered.
bool SymmetricProducts::lower_memory() {
  bool lowered = false;
  for (std::uint32_t b = 0; b < plan_.buffers.size(); ++b) {
    if (plan_.buffers[b].kind != CONVOY_BUFFER_PERSISTENT || memory_[b] == Symmetry::kNone)
      continue;
    for (const auto& [first, value] : period_.memory(b).intervals()) {
      const Symmetry left = of_value(value);
      lowered = lowered || left < memory_[b];
      memory_[b] = std::min(memory_[b], left);
    }
  }
  return lowered;
}

SymmetricProducts::KnownAtom SymmetricProducts::examine(AtomId id) const {
  const Atom& atom = values_.atom(id);
  if (atom.kind != AtomKind::kOpaque) return {};
  if (!atom.factors.empty() && of_all(atom.inputs) == Symmetry::kLinear && accepts_factor(atom))
    return {Symmetry::kLinear, true};
  // Orthonormal columns are the matrix times another matrix, which only the run knows.
  const bool orthogonalises = atom.matrix.kind == OperationKind::kOrthogonalise;
  if (orthogonalises && atom.inputs.size() == 1 && of_all(atom.inputs) == Symmetry::kLinear)
    return {Symmetry::kLinear, true};
  const Symmetry made_of = std::min(of_all(atom.inputs), of_all(atom.factors));
  return {std::min(made_of, Symmetry::kKnown), false};
}

SymmetricProducts::Symmetry SymmetricProducts::of_all(const std::vector<ValueId>& values) const {
  Symmetry result = Symmetry::kLinear;
  for (const ValueId value : values) result = std::min(result, of_value(value));
  return result;
}

SymmetricProducts::Symmetry SymmetricProducts::of_value(ValueId id) const {
  const Value& value = values_.value(id);
  if (value.poison) return Symmetry::kNone;
  Symmetry result = value.constant.is_zero() ? Symmetry::kLinear : Symmetry::kKnown;
  GradientsInValue gradients;
  for (const Term& term : without_equal(values_.expand(id, Casts::kThrough))) {
    const Atom& atom = values_.atom(term.atom);
    if (atom.kind == AtomKind::kGradient)
      gradients.add(atom, term);
    else
      result = std::min(result, of_term(atom, term.atom));
  }
  return gradients.are_symmetric(plan_.cluster->replicas()) ? result : Symmetry::kNone;
}

// Differences of memory with the same contents are zero, such as the distance of the parameters
// from those at the beginning of the period, when it begins.
std::vector<Term> SymmetricProducts::without_equal(std::vector<Term> terms) const {
  std::map<std::pair<std::uint32_t, std::int64_t>, Weight> sums;
  const auto key = [&](const Term& term) {
    const Place& place = equal_[values_.atom(term.atom).buffer];
    return std::pair(place.buffer, term.shift + place.first);
  };
  const auto is_held = [&](const Term& term) {
    return values_.atom(term.atom).kind == AtomKind::kHeld;
  };
  for (const Term& term : terms)
    if (is_held(term)) add_weight(sums, key(term), term.weight);
  std::erase_if(terms,
                [&](const Term& term) { return is_held(term) && sums.at(key(term)).is_zero(); });
  return terms;
}

SymmetricProducts::Symmetry SymmetricProducts::of_term(const Atom& atom, AtomId id) const {
  if (atom.kind == AtomKind::kOpaque) return atoms_[id].symmetry;
  return atom.kind == AtomKind::kHeld ? memory_[atom.buffer] : Symmetry::kNone;
}

// A factor that is a single number may depend on anything, as it may in plans without momentum.
bool SymmetricProducts::accepts_factor(const Atom& atom) const {
  const OperationKind by = operation_of(plan_, atom.operation).kind;
  const std::vector<Term> terms = values_.expand(atom.factors.front(), Casts::kThrough);
  return !terms.empty() && std::ranges::all_of(terms, [&](const Term& term) {
    const Atom& factor = values_.atom(term.atom);
    if (factor.kind != AtomKind::kOpaque) return false;
    if (atom.one_factor) return true;
    return by == OperationKind::kDivide && atoms_[term.atom].symmetry != Symmetry::kNone &&
           operation_of(plan_, factor.operation).kind == OperationKind::kSquareRoot;
  });
}

}  // namespace convoy::plan::check
