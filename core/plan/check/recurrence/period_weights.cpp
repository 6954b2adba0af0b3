#include "core/plan/check/recurrence/period_weights.hpp"

namespace convoy::check {

PeriodWeights::PeriodWeights(const PeriodClass& elements, const std::vector<GradientKey>& gradients,
                             const ValueTable& values)
    : elements_(elements), keys_(gradients), values_(values) {
  for (std::size_t g = 0; g < gradients.size(); ++g) gradient_columns_.emplace(gradients[g], g);
  for (std::size_t e = 0; e < elements.error_atoms.size(); ++e)
    error_columns_.emplace(elements.error_atoms[e], e);
}

void PeriodWeights::set(const FieldMatrix& gradients, std::size_t row, const FieldMatrix& errors) {
  gradients_ = &gradients;
  row_ = row;
  errors_ = &errors;
}

std::uint64_t PeriodWeights::of_gradient(const GradientKey& gradient) const {
  const auto at = gradient_columns_.find(gradient);
  return at == gradient_columns_.end() ? 0 : gradients_->at(row_, at->second);
}

std::uint64_t PeriodWeights::of_error(AtomId error) const {
  const auto at = error_columns_.find(error);
  return at == error_columns_.end() ? 0 : errors_->at(0, at->second);
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
