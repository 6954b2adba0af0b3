#include "core/plan/check/recurrence/period_weights.hpp"

#include <algorithm>

namespace convoy::plan::check {
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

// Returns the term of the error, if it occurs for one shift only; else null.
const Term* only_term(AtomId error, const std::vector<Term>& terms) {
  const auto is_error = [&](const Term& it) { return it.atom == error; };
  const auto first = std::ranges::find_if(terms, is_error);
  if (first == terms.end() || std::any_of(first + 1, terms.end(), is_error)) return nullptr;
  return &*first;
}

// Returns the terms that show where else the source went: gradients and memory. The state's own
// memory is left out, because the state may hold it in any case.
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

// Returns how much a state gains if the result of a cast or compressor gains one and its omitted
// part stays the same. It is the error's weight if the state is made of the result, and nothing if
// it is only the omitted part. Returns nothing if this is not known.
//
// It differs from the weight of the gradients that were read, which may also reach the state beside
// the result, as in the momentum that was compressed.
std::optional<Weight> gain_of(AtomId error, const PeriodState& state, const ValueTable& values) {
  const std::vector<Term> terms = values.expand(state.value, Casts::kErrors);
  if (std::ranges::none_of(terms, [&](const Term& it) { return it.atom == error; }))
    return kNothing;
  const Term* const found = only_term(error, terms);
  if (found == nullptr || values.atom(error).inputs.empty()) return std::nullopt;
  const std::vector<Term> source = values.expand(values.atom(error).inputs.front(), Casts::kErrors);
  if (only_the_run_knows(terms, values) || only_the_run_knows(source, values)) return std::nullopt;
  bool in_result = false;  // the source is there with the result's weight
  bool cancelled = false;  // the source is cancelled, so that only the omitted part remains
  for (const Term& witness : witnesses(source, state.buffer, values)) {
    const Weight there = weight_of(witness.atom, witness.shift + found->shift, terms);
    const Weight by_result = found->weight * witness.weight;
    in_result = in_result || there.field == by_result.field;
    cancelled = cancelled || there.is_zero();
  }
  if (in_result == cancelled) return std::nullopt;
  return in_result ? found->weight : kNothing;
}

}  // namespace

PeriodWeights::PeriodWeights(const LinearSystem& system, const std::vector<GradientKey>& gradients,
                             const ValueTable& values)
    : system_(system), keys_(gradients), values_(values) {
  for (std::size_t g = 0; g < gradients.size(); ++g) gradient_columns_.emplace(gradients[g], g);
  for (std::size_t e = 0; e < system.error_atoms.size(); ++e)
    error_columns_.emplace(system.error_atoms[e], e);
}

void PeriodWeights::set(const FieldMatrix& gradients, std::size_t row, const FieldMatrix& errors,
                        const FieldMatrix& states) {
  gradients_ = &gradients;
  row_ = row;
  errors_ = &errors;
  states_ = &states;
}

std::uint64_t PeriodWeights::of_gradient(const GradientKey& gradient) const {
  const auto at = gradient_columns_.find(gradient);
  return at == gradient_columns_.end() ? 0 : gradients_->at(row_, at->second);
}

std::uint64_t PeriodWeights::of_error(AtomId error) const {
  const auto at = error_columns_.find(error);
  return at == error_columns_.end() ? 0 : errors_->at(0, at->second);
}

std::optional<Weight> PeriodWeights::of_result(AtomId error) const {
  const auto column = error_columns_.find(error);
  if (column == error_columns_.end()) return std::nullopt;
  const Gains gains = system_.coordinates ? known_gains(error, column->second)
                                          : gains_of_states(error, column->second);
  if (!gains) return std::nullopt;
  std::uint64_t sum = 0;
  for (std::size_t s = 0; s < gains->size(); ++s)
    sum = field_add(sum, field_multiply(states_->at(0, s), (*gains)[s].field));
  if (sum == 0) return std::nullopt;  // if errors cancel each other, results may still be there
  return from_field(sum);
}

// Returns how much every state gains with the result.
PeriodWeights::Gains PeriodWeights::gains_of_states(AtomId error, std::size_t column) const {
  std::vector<Weight> gains(system_.states.size(), Weight{0, 0});
  for (std::size_t s = 0; s < gains.size(); ++s) {
    if (!holds(system_.errors[s], column) || states_->at(0, s) == 0) continue;
    const std::optional<Weight> gain = gain_of(error, system_.states[s], values_);
    if (!gain) return std::nullopt;
    gains[s] = *gain;
  }
  return gains;
}

const PeriodWeights::Gains& PeriodWeights::known_gains(AtomId error, std::size_t column) const {
  const auto known = gains_.find(error);
  if (known != gains_.end()) return known->second;
  return gains_.emplace(error, gains_of_coordinates(error, column)).first->second;
}

// The same for a reachable subspace. The gains of the system's states must lie in that subspace,
// too. Otherwise the result alone has no final weight.
PeriodWeights::Gains PeriodWeights::gains_of_coordinates(AtomId error, std::size_t column) const {
  const Coordinates& all = *system_.coordinates;
  std::vector<Weight> gains(all.states.size(), Weight{0, 0});
  for (std::size_t s = 0; s < gains.size(); ++s) {
    if (!holds(all.errors[s], column)) continue;
    const std::optional<Weight> gain = gain_of(error, all.states[s], values_);
    if (!gain) return std::nullopt;
    gains[s] = *gain;
  }
  values_.spend(gains.size() * all.places.size() / 16, CONVOY_NONE);
  std::vector<Weight> result;
  for (const std::size_t place : all.places) result.push_back(gains[place]);
  for (std::size_t s = 0; s < gains.size(); ++s) {
    Weight sum{0, 0};
    for (std::size_t k = 0; k < result.size(); ++k) sum = sum + result[k] * all.vectors[k][s];
    if (sum.field != gains[s].field) return std::nullopt;
  }
  return result;
}

bool PeriodWeights::holds(const LinearRow& errors, std::size_t column) {
  return std::ranges::any_of(errors, [&](const Addend& it) { return it.index == column; });
}

bool PeriodWeights::add_held(const Term& held, SourceParts& parts) const {
  const std::optional<std::uint32_t> state = state_of(values_.atom(held.atom).buffer);
  if (!state) return false;
  for (const Addend& it : system_.gradients[*state])
    parts.add(keys_[it.index], held.weight * it.weight);
  for (const Addend& it : system_.errors[*state])
    parts.add(system_.error_atoms[it.index], held.weight * it.weight);
  return true;
}

// Returns the buffer's only state, if it holds none of the parameters.
std::optional<std::uint32_t> PeriodWeights::state_of(std::uint32_t buffer) const {
  std::optional<std::uint32_t> result;
  for (std::uint32_t i = 0; i < system_.states.size(); ++i) {
    if (system_.states[i].buffer != buffer) continue;
    if (result || !system_.start[i].is_zero()) return std::nullopt;
    result = i;
  }
  return result;
}

}  // namespace convoy::plan::check
