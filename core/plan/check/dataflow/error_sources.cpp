#include "core/plan/check/dataflow/error_sources.hpp"

#include <fmt/format.h>

#include <vector>

#include "core/plan/check/findings.hpp"

namespace convoy::plan::check {
namespace {

template <typename Key>
void add_to(std::map<Key, Weight>& sums, const Key& key, const Weight& weight) {
  add_weight(sums, key, weight);
  if (sums.at(key).is_zero()) sums.erase(key);
}

}  // namespace

bool keeps_a_part(const Plan& plan, const Atom& cast) {
  const Operation& by = operation_of(plan, cast.operation);
  return cast.basis != kNoAtom || by.kind == OperationKind::kTopK ||
         (by.kind == OperationKind::kQuantise && by.details->sizes[0] == CONVOY_CODE_SIGN);
}

void SourceParts::add(const GradientKey& gradient, const Weight& weight) {
  add_to(gradients, gradient, weight);
}

void SourceParts::add(AtomId error, const Weight& weight) {
  add_to(errors, error, weight);
}

namespace {

// Returns the final weight of the source, derived from that of a gradient in it.
std::optional<Weight> of_gradients(const SourceParts& parts, const FinalWeights& finals) {
  for (const auto& [gradient, weight] : parts.gradients)
    if (const std::uint64_t in_the_end = finals.of_gradient(gradient); in_the_end != 0)
      return from_field(in_the_end) * inverse(weight);
  return std::nullopt;
}

}  // namespace

std::optional<Weight> ErrorSources::weight(AtomId error, const FinalWeights& finals) {
  // The entry is unknown during the search, because the omitted part may be read again.
  const auto [known, is_new] = known_.try_emplace(error, std::nullopt);
  if (!is_new || values_.atom(error).inputs.empty()) return known->second;
  std::optional<Weight> found = finals.of_result(error);
  if (!found) {
    const SourceParts parts = parts_of(values_.atom(error).inputs.front(), finals);
    found = parts.gradients.empty() ? of_rests(parts, finals) : of_gradients(parts, finals);
  }
  known_[error] = found;
  return found;
}

// Returns the parts of the source. A source without gradients of this period has those that memory
// keeps from the previous period.
SourceParts ErrorSources::parts_of(ValueId source, const FinalWeights& finals) const {
  SourceParts parts;
  std::vector<Term> held;
  for (const Term& term : values_.expand(source, Casts::kErrors)) {
    const Atom& atom = values_.atom(term.atom);
    if (atom.kind == AtomKind::kGradient)
      parts.add({atom.replica, atom.step}, term.weight);
    else if (atom.kind == AtomKind::kCast)
      parts.add(term.atom, term.weight);
    else if (atom.kind == AtomKind::kHeld)
      held.push_back(term);
    else
      parts.known = false;
  }
  if (!parts.gradients.empty()) return parts;
  for (const Term& term : held) parts.known = finals.add_held(term, parts) && parts.known;
  return parts;
}

// The source consists of errors of other casts. Returns the weight of the part that does not arrive
// as their error.
std::optional<Weight> ErrorSources::of_rests(const SourceParts& parts, const FinalWeights& finals) {
  std::optional<Weight> result;
  if (!parts.known) return result;
  for (const auto& [error, weight] : parts.errors) {
    const std::optional<Weight> source = this->weight(error, finals);
    if (!source) return std::nullopt;
    const Weight rest = *source - from_field(finals.of_error(error));
    const Weight found = rest * inverse(-weight);
    if (result && result->field != found.field) return std::nullopt;
    result = found;
  }
  return result;
}

// The input must count, and its omitted part must count at most as often.
std::optional<ErrorSources::Fault> ErrorSources::fault(AtomId error, const FinalWeights& finals) {
  const std::uint64_t counts = finals.of_error(error);
  const std::optional<Weight> source = weight(error, finals);
  if (counts == 0 || !source) return std::nullopt;
  if (source->is_zero())
    return Fault{FindingKind::kMissing, "is kept, but what it lets through is lost"};
  const double times = number_of(counts) / source->value;
  if (times <= 1 + 1e-9 && times >= -1e-9) return std::nullopt;
  if (times < 0) return Fault{FindingKind::kDoubled, "is brought back more often than once"};
  return Fault{FindingKind::kDoubled, fmt::format("counts {:.6g} times in the end: it is added "
                                                  "where it should be subtracted",
                                                  times)};
}

}  // namespace convoy::plan::check
