#include "core/plan/check/recurrence/compressor_gain.hpp"

#include <algorithm>
#include <vector>

namespace convoy::check {
namespace {

const Weight kNothing{0, 0};

Weight weight_of(AtomId atom, std::int64_t shift, const std::vector<Term>& terms) {
  const auto at = std::ranges::find_if(
      terms, [&](const Term& it) { return it.atom == atom && it.shift == shift; });
  return at == terms.end() ? kNothing : at->weight;
}

bool only_the_run_knows(const std::vector<Term>& terms, const ValueTable& values) {
  return std::ranges::any_of(
      terms, [&](const Term& it) { return values.atom(it.atom).kind == AtomKind::kOpaque; });
}

// The weight of the error, if it is there for one shift only.
const Term* only_term(AtomId error, const std::vector<Term>& terms) {
  const auto is_error = [&](const Term& it) { return it.atom == error; };
  const auto first = std::ranges::find_if(terms, is_error);
  if (first == terms.end() || std::any_of(first + 1, terms.end(), is_error)) return nullptr;
  return &*first;
}

// The terms that say where else the source went: gradients and memory, but not the state's own,
// which it may hold besides.
std::vector<Term> witnesses(const std::vector<Term>& source, std::uint32_t buffer,
                            const ValueTable& values) {
  std::vector<Term> result;
  for (const Term& term : source) {
    const Atom& atom = values.atom(term.atom);
    if (atom.kind == AtomKind::kGradient || (atom.kind == AtomKind::kHeld && atom.buffer != buffer))
      result.push_back(term);
  }
  return result;
}

}  // namespace

std::optional<Weight> let_through(AtomId error, const PeriodState& state,
                                  const ValueTable& values) {
  const std::vector<Term> terms = values.expand(state.value, Casts::kErrors);
  if (std::ranges::none_of(terms, [&](const Term& it) { return it.atom == error; }))
    return kNothing;
  const Term* const found = only_term(error, terms);
  if (found == nullptr || values.atom(error).inputs.empty()) return std::nullopt;
  const std::vector<Term> source = values.expand(values.atom(error).inputs.front(), Casts::kErrors);
  if (only_the_run_knows(terms, values) || only_the_run_knows(source, values)) return std::nullopt;
  bool in_result = false;  // with the result's weight
  bool cancelled = false;  // the source is there, too, and only the rest of it remains
  for (const Term& witness : witnesses(source, state.buffer, values)) {
    const Weight there = weight_of(witness.atom, witness.shift + found->shift, terms);
    const Weight by_result = found->weight * witness.weight;
    in_result = in_result || there.field == by_result.field;
    cancelled = cancelled || there.is_zero();
  }
  if (in_result == cancelled) return std::nullopt;
  return in_result ? found->weight : kNothing;
}

}  // namespace convoy::check
