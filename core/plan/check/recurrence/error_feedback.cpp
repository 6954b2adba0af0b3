#include "core/plan/check/recurrence/error_feedback.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/plan/check/findings.hpp"
#include "core/plan/check/recurrence/opaque_effects.hpp"

namespace convoy::plan::check {

void ErrorFeedbackJudge::judge(const PeriodRead& read, const FieldMatrix& gradients,
                               std::size_t row, const FieldMatrix& errors,
                               const FieldMatrix& states) {
  weights_.set(gradients, row, errors, states);
  ReadNoise noise{read.replica, writer_of(read), read.range, {}};
  for (std::size_t e = 0; e < system_.error_atoms.size(); ++e) {
    const AtomId error = system_.error_atoms[e];
    const std::uint64_t weight = errors.at(0, e);
    const Atom& atom = values_.atom(error);
    const bool by_factor =
        !atom.factors.empty() || atom.matrix.kind == OperationKind::kOrthogonalise;
    if (by_factor) judge_factor(read, error, weight != 0);
    if (weight == 0 && atom.keeps_out) report_kept_out(read, error);
    if (weight == 0) continue;
    report_.loses = report_.loses || !by_factor;
    noise.weights.emplace_back(error, weight);
    if (keeps_a_part(plan_, atom)) require_whole_parameters(read, error);
    if (const auto fault = sources_.fault(error, weights_))
      add_finding(
          fault->kind, read, read.replica,
          fmt::format("what {} leaves out {}", makers_of(plan_, values_, {error}), fault->what));
  }
  require_equal_centring(read, errors);
  std::sort(noise.weights.begin(), noise.weights.end());
  report_.noise.push_back(std::move(noise));
}

// The part that a factor leaves out must not come back, because nobody knows whether the factor
// ever lets it pass.
void ErrorFeedbackJudge::judge_factor(const PeriodRead& read, AtomId product, bool stays) {
  if (!stays)
    return add_finding(FindingKind::kUndeclared, read, read.replica,
                       fmt::format("{}, and what it leaves out is kept",
                                   unknown_effect(plan_, values_, {product})));
  report_.factors.emplace(
      operation_name(operation_of(plan_, values_.atom(product).operation).kind));
}

// Omitted parts of gradients may reappear in later gradients, but parameters are kept only once.
void ErrorFeedbackJudge::require_whole_parameters(const PeriodRead& read, AtomId error) {
  if (holds_parameters(values_.atom(error).inputs.front()))
    add_finding(FindingKind::kUnknown, read, read.replica,
                fmt::format("parameters go on from the part of them that {} keeps, and nothing "
                            "brings back what that leaves out",
                            makers_of(plan_, values_, {error})));
}

// Whether the value contains the first parameters, and not only differences of them.
bool ErrorFeedbackJudge::holds_parameters(ValueId value) const {
  Weight sum{0, 0};
  for (const Term& term : values_.expand(value, Casts::kThrough)) {
    const Atom& atom = values_.atom(term.atom);
    if (atom.kind != AtomKind::kHeld) continue;
    for (std::size_t i = 0; i < system_.states.size(); ++i)
      if (system_.states[i].buffer == atom.buffer) {
        sum = sum + term.weight * system_.start[i];
        break;
      }
  }
  return !sum.is_zero();
}

void ErrorFeedbackJudge::report_kept_out(const PeriodRead& read, AtomId error) {
  add_finding(FindingKind::kUnknown, read, read.replica,
              fmt::format("what {} leaves out is kept, and no later step lets it out",
                          makers_of(plan_, values_, {error})));
}

// If rows or columns lose their means, this must happen to the gradients of all replicas.
void ErrorFeedbackJudge::require_equal_centring(const PeriodRead& read, const FieldMatrix& errors) {
  std::map<std::uint64_t, std::map<std::uint32_t, std::uint64_t>> losing;  // by compute, replica
  for (std::size_t e = 0; e < system_.error_atoms.size(); ++e) {
    const Atom& error = values_.atom(system_.error_atoms[e]);
    if (!error.keeps_out || errors.at(0, e) == 0) continue;
    for (const Term& term : values_.expand(error.inputs.front(), Casts::kThrough)) {
      const Atom& atom = values_.atom(term.atom);
      if (atom.kind != AtomKind::kGradient) continue;
      std::uint64_t& sum = losing[atom.step][atom.replica];
      sum = field_add(sum, field_multiply(errors.at(0, e), term.weight.field));
    }
  }
  const auto are_unequal = [&](const auto& of_compute) {
    const auto& weights = of_compute.second;
    return weights.size() != plan_.cluster->replicas() ||
           std::ranges::any_of(
               weights, [&](const auto& it) { return it.second != weights.begin()->second; });
  };
  if (std::ranges::any_of(losing, are_unequal))
    add_finding(FindingKind::kUnknown, read, read.replica,
                "means of rows or columns are taken off the gradients of some replicas, and not "
                "off those of others");
}

}  // namespace convoy::plan::check
