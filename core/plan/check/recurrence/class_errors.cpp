#include "core/plan/check/recurrence/class_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/plan/check/audit.hpp"
#include "core/plan/check/recurrence/opaque_effects.hpp"

namespace convoy::check {

void ErrorJudge::judge(const PeriodRead& read, const FieldMatrix& errors,
                       const FieldMatrix& weights) {
  ReadNoise noise{read.replica, writer_of(elements_, read), read.range, {}};
  for (std::size_t e = 0; e < elements_.error_atoms.size(); ++e) {
    const AtomId error = elements_.error_atoms[e];
    const std::uint64_t weight = errors.at(0, e);
    const bool by_factor = !values_.atom(error).factors.empty();
    if (by_factor) judge_factor(read, error, weight != 0);
    if (weight == 0) continue;
    report_.loses = report_.loses || !by_factor;
    noise.weights.emplace_back(error, weight);
    const auto [known, is_new] = sources_.try_emplace(error);
    if (is_new) known->second = weight_of_source(error, weights);
    if (known->second) require_once(read, error, number_of(weight) / *known->second);
  }
  std::sort(noise.weights.begin(), noise.weights.end());
  report_.noise.push_back(std::move(noise));
}

// What a factor leaves out must not come back, because nobody knows whether the factor ever lets it
// pass.
void ErrorJudge::judge_factor(const PeriodRead& read, AtomId product, bool stays) {
  if (!stays)
    return add_finding(report_, elements_, FindingKind::kUndeclared, read, read.replica,
                       fmt::format("{}, and what it leaves out is kept",
                                   unknown_effect(plan_, values_, {product})));
  report_.factors.emplace(
      operation_name(operation_of(plan_, values_.atom(product).operation).kind));
}

void ErrorJudge::require_once(const PeriodRead& read, AtomId error, double times) {
  if (times <= 1 + 1e-9 && times >= -1e-9) return;
  const std::string what =
      times > 0 ? fmt::format(
                      "counts {:.6g} times in the end: it is added where it should be "
                      "subtracted",
                      times)
                : "is brought back more often than once";
  add_finding(report_, elements_, FindingKind::kDoubled, read, read.replica,
              fmt::format("what {} leaves out {}", makers_of(plan_, values_, {error}), what));
}

// The final weight of the input of a cast or kernel: that of a gradient in it.
std::optional<double> ErrorJudge::weight_of_source(AtomId error, const FieldMatrix& weights) const {
  for (const Term& term : values_.expand(values_.atom(error).inputs.front(), Casts::kThrough)) {
    const Atom& atom = values_.atom(term.atom);
    const auto at = std::ranges::find(gradients_, GradientKey{atom.replica, atom.step});
    if (atom.kind != AtomKind::kGradient || at == gradients_.end()) continue;
    const double weight =
        number_of(weights.at(0, static_cast<std::size_t>(at - gradients_.begin())));
    if (weight != 0) return weight / term.weight.value;
  }
  return std::nullopt;
}

}  // namespace convoy::check
