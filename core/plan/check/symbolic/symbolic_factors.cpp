#include <set>
#include <utility>

#include "core/plan/check/symbolic/symbolic_run.hpp"

namespace convoy::plan::check {

// The result is linear in read 0, whatever read 1 is. A factor that is a constant of the plan
// becomes an exact weight, as for scale. With any other factor, each value becomes an atom.
void SymbolicRun::factor(const Operation& operation) {
  const std::uint64_t frame = operation.writes.front().first;
  const Content value = read(operation.reads[0], operation.id, frame);
  const bool one = operation.reads[1].count == 1;
  Content factors = read(operation.reads[1], operation.id, one ? 0 : frame);
  if (one) factors = {{0, value.back().first + value.back().count, factors.front().value}};
  Content result;
  for_each_stretch({&value, &factors},
                   [&](std::uint64_t, std::uint64_t count, const std::vector<ValueId>& values) {
                     append(result, count, times(operation, values[0], values[1]));
                   });
  write(operation.writes.front(), result, frame);
}

ValueId SymbolicRun::times(const Operation& operation, ValueId value, ValueId factor) {
  for (const ValueId id : {value, factor})
    if (values_.value(id).poison) return id;
  const auto is_constant = [&](ValueId id) {
    return values_.value(id).fingerprint == Fingerprint{};
  };
  const bool divides = operation.kind == OperationKind::kDivide;
  if (is_constant(factor)) return times_constant(operation, value, values_.value(factor).constant);
  if (is_constant(value) && !divides)
    return times_constant(operation, factor, values_.value(value).constant);
  const bool one = operation.reads[1].count == 1;
  if (!one && !divides && !carries_gradient(value) && carries_gradient(factor))
    std::swap(value, factor);
  const std::int64_t anchor = is_constant(value) ? 0 : values_.value(value).anchor;
  Atom atom{.kind = AtomKind::kOpaque};
  atom.inputs = {values_.shifted(value, -anchor)};
  atom.factors = {one ? factor : values_.shifted(factor, -anchor)};
  atom.one_factor = one;
  std::vector<std::uint64_t> key{static_cast<std::uint64_t>(operation.kind), one ? 1u : 0u,
                                 from_scalar(operation.scalar).field, atom.inputs.front(),
                                 atom.factors.front()};
  return values_.made(std::move(atom), std::move(key), anchor);
}

// Whether the value contains or depends on a gradient. A chain of products asks this for each of
// its values, and the answer for the previous value is cached.
bool SymbolicRun::carries_gradient(ValueId value) {
  const auto known = carries_gradient_.find(value);
  if (known != carries_gradient_.end()) return known->second;
  return carries_gradient_[value] = finds_gradient(value);
}

bool SymbolicRun::finds_gradient(ValueId value) {
  std::vector<ValueId> open{value};
  std::set<AtomId> seen;
  while (!open.empty()) {
    const ValueId next = open.back();
    open.pop_back();
    const auto known = carries_gradient_.find(next);
    if (known != carries_gradient_.end() && known->second) return true;
    if (known != carries_gradient_.end()) continue;
    for (const Term& term : values_.expand(next, Casts::kThrough)) {
      const Atom& atom = values_.atom(term.atom);
      const bool held =
          atom.kind == AtomKind::kHeld && plan_.buffers[atom.buffer].kind == CONVOY_BUFFER_GRADIENT;
      if (atom.kind == AtomKind::kGradient || held) return true;
      if (atom.kind != AtomKind::kOpaque || !seen.insert(term.atom).second) continue;
      open.insert(open.end(), atom.inputs.begin(), atom.inputs.end());
    }
  }
  return false;
}

ValueId SymbolicRun::times_constant(const Operation& operation, ValueId value, Weight factor) {
  if (operation.kind == OperationKind::kDivide) {
    if (factor.is_zero()) return values_.constant(from_scalar(operation.scalar));
    factor = inverse(factor);
  }
  return values_.scaled(value, factor);
}

}  // namespace convoy::plan::check
