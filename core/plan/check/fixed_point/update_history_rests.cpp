#include <fmt/format.h>

#include "core/plan/check/dataflow/error_sources.hpp"
#include "core/plan/check/fixed_point/update_history.hpp"

namespace convoy::check {
namespace {

// What there is of gradients and errors in the sum that an update applies.
class UpdateWeights : public FinalWeights {
 public:
  UpdateWeights(const ValueTable& values, const std::vector<Term>& sum) {
    for (const Term& term : sum) {
      const Atom& atom = values.atom(term.atom);
      if (atom.kind == AtomKind::kGradient)
        parts_.add({atom.replica, atom.step}, term.weight);
      else
        parts_.add(term.atom, term.weight);
    }
  }

  std::uint64_t of_gradient(const GradientKey& gradient) const override {
    const auto at = parts_.gradients.find(gradient);
    return at == parts_.gradients.end() ? 0 : at->second.field;
  }
  std::uint64_t of_error(AtomId error) const override {
    const auto at = parts_.errors.find(error);
    return at == parts_.errors.end() ? 0 : at->second.field;
  }
  const SourceParts& parts() const { return parts_; }

 private:
  SourceParts parts_;
};

}  // namespace

// What rounding and compressors leave out must not count more often than what they were given.
void UpdateHistory::require_rests(const Atom& update, Version& version) {
  const ValueTable& values = run_.values();
  if (!with_rests_.insert(update.inputs[1]).second) return;
  const UpdateWeights weights(values, values.expand(update.inputs[1], Casts::kErrors));
  ErrorSources sources(values);
  for (const auto& [error, weight] : weights.parts().errors) {
    const auto fault = sources.fault(error, weights);
    if (!fault) continue;
    return reject(version, fault->kind, update, CONVOY_NONE,
                  fmt::format("what {} leaves out {}", factors_.maker(error), fault->what));
  }
}

}  // namespace convoy::check
