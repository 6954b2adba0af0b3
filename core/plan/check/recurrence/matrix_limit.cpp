#include "core/plan/check/recurrence/matrix_limit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/plan/check/recurrence/core_states.hpp"

namespace convoy::plan::check {
namespace {

using Dense = std::vector<double>;

Dense square(const Dense& a, std::size_t n) {
  Dense result(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k) {
      const double by = a[i * n + k];
      if (by == 0) continue;
      for (std::size_t j = 0; j < n; ++j) result[i * n + j] += by * a[k * n + j];
    }
  return result;
}

double largest_difference(const Dense& a, const Dense& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

// Computes A^(2^k) until it no longer changes, and returns what that shows.
Stability follow(const Dense& step, std::size_t n) {
  constexpr int kDoublings = 30;
  constexpr double kStill = 1e-7;
  constexpr double kHuge = 1e12;
  Dense power = step;
  for (int i = 0; i < kDoublings; ++i) {
    Dense next = square(power, n);
    const double change = largest_difference(next, power);
    power = std::move(next);
    for (const double it : power)
      if (!(std::fabs(it) < kHuge)) return Stability::kDiverges;
    if (change > kStill) continue;
    // An even power would hide an eigenvalue of -1.
    Dense later(n * n, 0.0);
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t c = 0; step[r * n + k] != 0 && c < n; ++c)
          later[r * n + c] += step[r * n + k] * power[k * n + c];
    return largest_difference(later, power) < 100 * kStill ? Stability::kConverges
                                                           : Stability::kOscillates;
  }
  return Stability::kOscillates;
}

// Returns the rows and columns of the core.
std::vector<LinearRow> step_of_core(const std::vector<LinearRow>& step,
                                    const std::vector<std::uint32_t>& core) {
  std::vector<std::uint32_t> numbers(step.size(), CONVOY_NONE);
  for (std::uint32_t i = 0; i < core.size(); ++i) numbers[core[i]] = i;
  std::vector<LinearRow> result;
  for (const std::uint32_t state : core) {
    LinearRow& row = result.emplace_back();
    for (const Addend& it : step[state])
      if (numbers[it.index] != CONVOY_NONE) row.push_back({numbers[it.index], it.weight});
  }
  return result;
}

Limit limit_of_core(const std::vector<LinearRow>& step) {
  const std::size_t n = step.size();
  Limit result;
  Dense dense(n * n, 0.0);
  for (std::size_t r = 0; r < n; ++r)
    for (const Addend& it : step[r]) dense[r * n + it.index] = it.weight.value;
  result.kind = follow(dense, n);
  FieldMatrix change = to_matrix(step, n);
  for (std::size_t i = 0; i < n; ++i) change.at(i, i) = field_subtract(change.at(i, i), 1);
  const FieldMatrix left = null_space(transpose(change));
  result.kept = transpose(null_space(std::move(change)));
  const auto scale = inverse(multiply(left, result.kept));
  if (!scale)
    result.kind = Stability::kDiverges;
  else
    result.conserved = multiply(*scale, left);
  return result;
}

// Extends the result to all states: w A = w gives the weights of states on which the core depends,
// A v = v the states that depend on the core.
void extend(const std::vector<LinearRow>& step, const CoreStates& states, Limit& limit) {
  FieldMatrix conserved(limit.conserved.rows(), step.size());
  FieldMatrix kept(step.size(), limit.kept.columns());
  for (std::size_t i = 0; i < states.core.size(); ++i) {
    for (std::size_t k = 0; k < conserved.rows(); ++k)
      conserved.at(k, states.core[i]) = limit.conserved.at(k, i);
    for (std::size_t k = 0; k < kept.columns(); ++k)
      kept.at(states.core[i], k) = limit.kept.at(i, k);
  }
  std::vector<bool> fades(step.size(), false);
  for (const std::uint32_t state : states.fading) fades[state] = true;
  const auto collect = [&](std::uint32_t state) {
    for (const Addend& it : step[state])
      for (std::size_t k = 0; fades[it.index] && k < conserved.rows(); ++k)
        conserved.at(k, it.index) = field_add(
            conserved.at(k, it.index), field_multiply(conserved.at(k, state), it.weight.field));
  };
  for (const std::uint32_t state : states.core) collect(state);
  for (auto it = states.fading.rbegin(); it != states.fading.rend(); ++it) collect(*it);
  for (auto it = states.following.rbegin(); it != states.following.rend(); ++it)
    for (const Addend& part : step[*it])
      for (std::size_t k = 0; k < kept.columns(); ++k)
        kept.at(*it, k) =
            field_add(kept.at(*it, k), field_multiply(kept.at(part.index, k), part.weight.field));
  limit.conserved = std::move(conserved);
  limit.kept = std::move(kept);
}

}  // namespace

Limit limit_of(const std::vector<LinearRow>& step) {
  const CoreStates states = core_states(step);
  Limit result = limit_of_core(step_of_core(step, states.core));
  extend(step, states, result);
  return result;
}

}  // namespace convoy::plan::check
