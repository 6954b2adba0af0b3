#include "core/plan/check/recurrence/period_weights.hpp"

#include <algorithm>

#include "core/plan/check/recurrence/let_through.hpp"

namespace convoy::check {

PeriodWeights::PeriodWeights(const PeriodClass& elements, const std::vector<GradientKey>& gradients,
                             const ValueTable& values)
    : elements_(elements), keys_(gradients), values_(values) {
  for (std::size_t g = 0; g < gradients.size(); ++g) gradient_columns_.emplace(gradients[g], g);
  for (std::size_t e = 0; e < elements.error_atoms.size(); ++e)
    error_columns_.emplace(elements.error_atoms[e], e);
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
  std::uint64_t sum = 0;
  const auto column = error_columns_.find(error);
  if (column == error_columns_.end() || elements_.is_reachable_part) return std::nullopt;
  for (std::size_t s = 0; s < elements_.states.size(); ++s) {
    const bool there = std::ranges::any_of(
        elements_.errors[s], [&](const Addend& it) { return it.index == column->second; });
    if (!there || states_->at(0, s) == 0) continue;
    const std::optional<Weight> gain = let_through(error, elements_.states[s], values_);
    if (!gain) return std::nullopt;
    sum = field_add(sum, field_multiply(states_->at(0, s), gain->field));
  }
  if (sum == 0) return std::nullopt;  // where errors cancel each other, results may be there still
  return Weight{sum, number_of(sum)};
}

bool PeriodWeights::add_held(const Term& held, SourceParts& parts) const {
  const std::optional<std::uint32_t> state = state_of(values_.atom(held.atom).buffer);
  if (!state) return false;
  for (const Addend& it : elements_.gradients[*state])
    parts.add(keys_[it.index], held.weight * it.weight);
  for (const Addend& it : elements_.errors[*state])
    parts.add(elements_.error_atoms[it.index], held.weight * it.weight);
  return true;
}

// The buffer's only state, if it has none of the parameters.
std::optional<std::uint32_t> PeriodWeights::state_of(std::uint32_t buffer) const {
  std::optional<std::uint32_t> result;
  for (std::uint32_t i = 0; i < elements_.states.size(); ++i) {
    if (elements_.states[i].buffer != buffer) continue;
    if (result || !elements_.start[i].is_zero()) return std::nullopt;
    result = i;
  }
  return result;
}

}  // namespace convoy::check
