#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/text/counted.hpp"
#include "core/plan/check/dataflow/error_sources.hpp"
#include "core/plan/check/findings.hpp"
#include "core/plan/check/fixed_point/update_history.hpp"

namespace convoy::plan::check {
namespace {

std::string gradients_are(std::size_t count) {
  return convoy::counted(count, "gradient") + (count == 1 ? " is" : " are");
}

// The weights of gradients and errors in the sum that an update applies.
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

Version UpdateHistory::examine_update(const Atom& update) {
  Version version = version_of(update.inputs[0], update.range, update.operation);
  version.operation = update.operation;
  require_state(update);
  if (version.sound && style_.rounded) require_whole_parameters(update, version);
  std::vector<Contribution> parts = contributions(update, version);
  if (version.sound && !parts.empty()) require_weights(update, parts, version);
  if (version.sound && !parts.empty() && style_.rounded) require_error_weights(update, version);
  const bool kernels =
      parts.empty() && !run_.values().expand(update.inputs[1], Casts::kThrough).empty();
  if (version.sound && !kernels) advance(update, parts, version);
  version.last_step = update.step;
  return version;
}

// Optimizer state, such as momentum, must contain exactly the updates that the parameters contain.
void UpdateHistory::require_state(const Atom& update) {
  const std::vector<Term> before = run_.values().expand(update.inputs[0], Casts::kThrough);
  if (before.size() != 1) return;
  const Atom& parameters = run_.values().atom(before.front().atom);
  const Value& state = run_.values().value(update.inputs[2]);
  if (!state.leaf) return;
  const Atom& seen = run_.values().atom(state.atom);
  bool matches = false;
  if (parameters.kind == AtomKind::kInitial) matches = seen.kind == AtomKind::kFreshState;
  if (parameters.kind == AtomKind::kApply)
    matches = seen.kind == AtomKind::kState &&
              seen.inputs.front() == run_.values().leaf_of(before.front().atom);
  if (parameters.kind == AtomKind::kOpaque) matches = true;
  if (!matches)
    report(FindingKind::kState, update.operation, CONVOY_NONE, update.range,
           "the optimizer's state has seen other updates than the parameters");
}

// Refuses parameters of which only a part was kept, because they are not the sum of all updates.
void UpdateHistory::require_whole_parameters(const Atom& update, Version& version) {
  const ValueTable& values = run_.values();
  std::vector<ValueId> open{update.inputs[0]};
  while (!open.empty()) {
    const ValueId next = open.back();
    open.pop_back();
    for (const Term& term : values.expand(next, Casts::kKept)) {
      const Atom& atom = values.atom(term.atom);
      if (atom.kind != AtomKind::kCast) continue;
      if (keeps_a_part(plan_, atom))
        return reject(
            version, FindingKind::kUnknown, update, CONVOY_NONE,
            fmt::format("it goes on from the part of the parameters that {} (operation "
                        "{}) keeps, and nothing brings back what that leaves out",
                        operation_name(operation_of(plan_, atom.operation).kind), atom.operation));
      open.push_back(atom.inputs.front());
    }
  }
}

std::vector<UpdateHistory::Contribution> UpdateHistory::contributions(const Atom& update,
                                                                      Version& version) {
  std::vector<Contribution> parts;
  const ValueId sum = update.inputs[1];
  const Value& value = run_.values().value(sum);
  if (!value.constant.is_zero())
    reject(version, FindingKind::kForeign, update, CONVOY_NONE,
           fmt::format("the constant {} is part of the gradient", value.constant.value));
  for (const Term& term : run_.values().expand(sum, Casts::kKept))
    note_rounding(run_.values().atom(term.atom));
  bool kernels = false;
  for (const Term& term : run_.values().expand(sum, Casts::kThrough)) {
    const Atom& atom = run_.values().atom(term.atom);
    if (atom.kind == AtomKind::kGradient)
      parts.push_back({atom.replica, atom.step, term.shift, term.weight});
    else if (atom.kind != AtomKind::kOpaque)
      reject(version, FindingKind::kForeign, update, CONVOY_NONE,
             "something else than gradients is part of the gradient");
    if (atom.kind == AtomKind::kOpaque) note_kernel(atom.operation);
    kernels = kernels || atom.kind == AtomKind::kOpaque;
  }
  require_equal_centring(update, version);
  if (!kernels) return parts;
  const std::string problem = factors_.problem(sum);
  if (!problem.empty()) reject(version, FindingKind::kUnknown, update, CONVOY_NONE, problem);
  if (version.sound) count_reaching(update, version);
  return {};
}

// If an update takes the means of rows or columns off one gradient, it must take them off all its
// gradients.
void UpdateHistory::require_equal_centring(const Atom& update, Version& version) {
  if (!run_.centres_matrices()) return;
  struct Open {
    ValueId value = 0;
    Weight weight;
    bool loses = false;
  };
  // weight of all gradients, and of those that lose their means
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::pair<Weight, Weight>> all;
  std::vector<Open> open{{update.inputs[1], Weight{}, false}};
  while (!open.empty()) {
    const Open now = open.back();
    open.pop_back();
    for (const Term& term : run_.values().expand(now.value, Casts::kKept)) {
      const Atom& atom = run_.values().atom(term.atom);
      const Weight weight = now.weight * term.weight;
      run_.values().spend(1, update.operation);
      for (const ValueId input :
           atom.kind == AtomKind::kApply ? std::vector<ValueId>{} : atom.inputs)
        open.push_back({input, weight, now.loses || atom.keeps_out});
      if (atom.kind != AtomKind::kGradient) continue;
      auto& [whole, losing] =
          all.try_emplace({atom.replica, atom.step}, Weight{0, 0}, Weight{0, 0}).first->second;
      whole = whole + weight;
      if (now.loses) losing = losing + weight;
    }
  }
  for (const auto& [key, weights] : all) {
    const auto& [whole, losing] = weights;
    const auto& [first, first_losing] = all.begin()->second;
    if ((whole * first_losing).field == (losing * first).field) continue;
    return reject(version, FindingKind::kUnknown, update, key.first,
                  fmt::format("means of rows or columns are taken off some of the gradients in "
                              "it, and not off that of replica {}",
                              losing.is_zero() ? key.first : all.begin()->first.first));
  }
}

// The parts that rounding and compressors omit must not count more often than their input.
void UpdateHistory::require_error_weights(const Atom& update, Version& version) {
  const ValueTable& values = run_.values();
  if (!with_errors_.insert(update.inputs[1]).second) return;
  const UpdateWeights weights(values, values.expand(update.inputs[1], Casts::kErrors));
  ErrorSources sources(values);
  for (const auto& [error, weight] : weights.parts().errors) {
    const auto fault = sources.fault(error, weights);
    if (!fault) continue;
    return reject(version, fault->kind, update, CONVOY_NONE,
                  fmt::format("what {} leaves out {}", factors_.maker(error), fault->what));
  }
}

// Counts gradients that passed undeclared kernels. Only the newest gradient of each replica counts,
// because the others may be older ones that a kernel has kept.
void UpdateHistory::count_reaching(const Atom& update, Version& version) {
  const ReachingSet reaching = reaching_.of_value(update.inputs[1]);
  if (is_misread(reaching, update.range)) {
    version.sound = false;
    return;
  }
  std::uint64_t most = 1;  // computes of one replica that are in this update
  for (const auto& [replica, computes] : reaching.gradients) {
    std::uint64_t& progress = version.progress[replica];
    const std::uint64_t newest = computes.rbegin()->first;
    if (newest < progress)
      reject(version, FindingKind::kDoubled, update, replica,
             fmt::format("the gradient of replica {} is applied again", replica));
    for (std::uint64_t step = std::max(progress, computes.begin()->first); step < newest; ++step)
      if (!computes.contains(step))
        reject(version, FindingKind::kMissing, update, replica,
               fmt::format("gradients of replica {} are skipped", replica));
    most = std::max(most, newest + 1 - std::min(progress, newest));
    style_.computes_per_update.insert(most);
    note_computes(update, std::min(progress, newest), newest + 1);
    const std::uint64_t oldest = std::min({progress, newest, update.step});
    style_.largest_lag = std::max(style_.largest_lag, update.step - oldest);
    progress = std::max(progress, newest + 1);
  }
  ++version.updates;
  if (reaching.gradients.empty())
    return reject(version, FindingKind::kMissing, update, CONVOY_NONE,
                  "no gradient leads to what is applied");
  style_.replicas_per_update.insert(reaching.gradients.size());
  if (version.sound) require_reaching_weights(update, reaching, most, version);
}

// Kernels may scale, but must treat all replicas in the same way.
void UpdateHistory::require_reaching_weights(const Atom& update, const ReachingSet& reaching,
                                             std::uint64_t computes_of_each, Version& version) {
  const std::uint32_t first = reaching.gradients.begin()->first;
  const Weight like = reaching.gradients.begin()->second.rbegin()->second;
  for (const auto& [replica, computes] : reaching.gradients) {
    const Weight weight = computes.rbegin()->second;
    if (weight.field == like.field) continue;
    const bool more = weight.value > like.value;
    return reject(version, more ? FindingKind::kDoubled : FindingKind::kScaled, update, replica,
                  fmt::format("after its kernels the gradient of replica {} counts {:.6g} times "
                              "and that of replica {} {:.6g} times",
                              replica, weight.value, first, like.value));
  }
  const std::uint32_t replicas = plan_.cluster->replicas();
  const std::uint64_t present = reaching.gradients.size() * computes_of_each;
  if (like.field == (whole(update.contributions) * reciprocal(present)).field) return;
  for (std::uint32_t r = 0; r < replicas && present < update.contributions; ++r)
    if (!reaching.gradients.contains(r))
      return reject(version, FindingKind::kMissing, update, r,
                    fmt::format("the gradient of replica {} is missing", r));
  if (style_.kernels.empty())
    return reject(
        version, FindingKind::kUnknown, update, first,
        fmt::format("every gradient goes through {}, whose factor is not known, and "
                    "counts {:.6g} times beside that; {} of them are divided by {}",
                    fmt::join(style_.factors, ", "), like.value, present, update.contributions));
  reject(version, FindingKind::kUndeclared, update, first,
         fmt::format("every gradient goes through kernel {} and counts {:.6g} times after it, and "
                     "{} of them are divided by {}; the kernel does not say how it scales "
                     "(CallOptions::effect)",
                     fmt::join(style_.kernels, ", "), like.value, present, update.contributions));
}

// Requires a mean of the gradients that are present: each has a weight of one over their number.
void UpdateHistory::require_weights(const Atom& update, const std::vector<Contribution>& parts,
                                    Version& version) {
  for (const Contribution& part : parts)
    if (part.shift != 0)
      return reject(version, FindingKind::kShifted, update, part.replica,
                    fmt::format("the gradient of replica {} comes from {} elements further on",
                                part.replica, part.shift));
  const Weight wanted = whole(update.contributions) * reciprocal(parts.size());
  for (const Contribution& part : parts)
    if (part.weight.field != wanted.field) version.sound = false;
  if (!version.sound) report_weights(update, parts);
}

void UpdateHistory::report_weights(const Atom& update, const std::vector<Contribution>& parts) {
  const auto say = [&](FindingKind kind, std::uint32_t replica, const std::string& what) {
    report(kind, update.operation, replica, update.range, what);
  };
  std::set<std::uint32_t> present;
  bool explained = false;
  for (const Contribution& part : parts) {
    present.insert(part.replica);
    if (part.weight.field == 1) continue;
    const bool repeated = part.weight.value >= 2 && part.weight.field < 4096;
    explained = true;
    if (repeated)
      say(FindingKind::kDoubled, part.replica,
          fmt::format("the gradient of replica {} is in the sum {} times", part.replica,
                      part.weight.field));
    else
      say(FindingKind::kScaled, part.replica,
          fmt::format("the gradient of replica {} is multiplied by {} and divided by {}; {} summed",
                      part.replica, part.weight.value, update.contributions,
                      gradients_are(parts.size())));
  }
  if (parts.size() < update.contributions)
    for (std::uint32_t r = 0; r < plan_.cluster->replicas(); ++r)
      if (!present.contains(r)) {
        explained = true;
        say(FindingKind::kMissing, r, fmt::format("the gradient of replica {} is missing", r));
      }
  if (!explained)
    say(FindingKind::kScaled, CONVOY_NONE,
        fmt::format("{} summed but divided by {}", gradients_are(parts.size()),
                    convoy::counted(update.contributions, "contribution")));
}

void UpdateHistory::note_computes(const Atom& update, std::uint64_t first, std::uint64_t end) {
  style_.computes_of_updates.insert({first, end});
  style_.waits = style_.waits || update.step >= end;
}

// Reports skipped gradients of the computes from `first` on. They may be there to move the
// parameters that a later forward reads, as in sharpness-aware minimisation (Foret et al., 2021).
void UpdateHistory::report_skipped(const Atom& update, std::uint32_t replica, std::uint64_t first,
                                   std::uint64_t end, Version& version) {
  bool moves_reads = true;
  for (std::uint64_t compute = first; compute < end; ++compute)
    moves_reads = moves_reads && unapplied_.contains({replica, compute});
  if (!moves_reads)
    return reject(version, FindingKind::kMissing, update, replica,
                  fmt::format("gradients of replica {} are skipped", replica));
  reject(version, FindingKind::kUnknown, update, replica,
         fmt::format("gradients of replica {} move what a later forward reads, and are not "
                     "applied: it is not known whether that is meant",
                     replica));
}

// Every gradient of every replica must be applied once, in order.
void UpdateHistory::advance(const Atom& update, const std::vector<Contribution>& parts,
                            Version& version) {
  std::map<std::uint32_t, std::vector<std::uint64_t>> computes;
  for (const Contribution& part : parts) computes[part.replica].push_back(part.compute);
  for (auto& [replica, steps] : computes) {
    std::sort(steps.begin(), steps.end());
    std::uint64_t& progress = version.progress[replica];
    for (const std::uint64_t step : steps) {
      if (step < progress)
        reject(version, FindingKind::kDoubled, update, replica,
               fmt::format("the gradient of replica {} is applied again", replica));
      else if (step > progress)
        report_skipped(update, replica, progress, step, version);
      progress = std::max(progress, step + 1);
      const std::uint64_t lag = update.step - std::min(step, update.step);
      style_.largest_lag = std::max(style_.largest_lag, lag);
    }
    style_.computes_per_update.insert(steps.size());
    note_computes(update, steps.front(), steps.back() + 1);
  }
  if (!parts.empty()) {
    ++version.updates;
    style_.replicas_per_update.insert(computes.size());
    return;
  }
  if (version.updates == 0)
    style_.zero_start = true;
  else
    reject(version, FindingKind::kMissing, update, CONVOY_NONE,
           "no gradient is applied, only the optimizer's momentum and weight decay");
}

}  // namespace convoy::plan::check
