#include <fmt/format.h>

#include <algorithm>

#include "core/plan/check/audit.hpp"

namespace convoy::check {

Version Audit::examine_update(const Atom& update) {
  Version version = parameters(update.inputs[0], update.range, update.operation);
  version.operation = update.operation;
  require_state(update);
  std::vector<Contribution> parts = contributions(update, version);
  if (version.sound && !parts.empty()) require_weights(update, parts, version);
  if (version.sound) advance(update, parts, version);
  version.last_step = update.step;
  return version;
}

// Momentum and the like must have seen exactly the updates that the parameters have seen.
void Audit::require_state(const Atom& update) {
  const std::vector<Term> before = run_.values().expand(update.inputs[0], true);
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

std::vector<Audit::Contribution> Audit::contributions(const Atom& update, Version& version) {
  std::vector<Contribution> parts;
  const ValueId sum = update.inputs[1];
  const Value& value = run_.values().value(sum);
  if (!value.constant.is_zero())
    reject(version, FindingKind::kForeign, update, CONVOY_NONE,
           fmt::format("the constant {} is part of the gradient", value.constant.value));
  const std::vector<Term> exact = run_.values().expand(sum, false);
  for (const Term& term : exact)
    style_.rounded = style_.rounded || run_.values().atom(term.atom).kind == AtomKind::kCast;
  for (const Term& term : run_.values().expand(sum, true)) {
    const Atom& atom = run_.values().atom(term.atom);
    if (atom.kind == AtomKind::kGradient) {
      parts.push_back({atom.replica, atom.step, term.shift, term.weight});
      continue;
    }
    if (atom.kind != AtomKind::kOpaque) {
      reject(version, FindingKind::kForeign, update, CONVOY_NONE,
             "something else than gradients is part of the gradient");
      continue;
    }
    const Version inside = from_inputs(atom, update.range, update.operation);
    for (std::size_t r = 0; r < version.progress.size(); ++r)
      version.progress[r] = std::max(version.progress[r], inside.progress[r]);
    ++version.updates;
  }
  return parts;
}

// The mean of the gradients that are there: a weight of one over their number each.
void Audit::require_weights(const Atom& update, const std::vector<Contribution>& parts,
                            Version& version) {
  if (style_.opaque && update.contributions > 0 && parts.empty()) return;
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

void Audit::report_weights(const Atom& update, const std::vector<Contribution>& parts) {
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
          fmt::format("the gradient of replica {} is multiplied by {} and divided by {}; {} "
                      "gradients are summed",
                      part.replica, part.weight.value, update.contributions, parts.size()));
  }
  if (parts.size() < update.contributions)
    for (std::uint32_t r = 0; r < plan_.cluster->replicas(); ++r)
      if (!present.contains(r)) {
        explained = true;
        say(FindingKind::kMissing, r, fmt::format("the gradient of replica {} is missing", r));
      }
  if (!explained)
    say(FindingKind::kScaled, CONVOY_NONE,
        fmt::format("{} gradients are summed but divided by {} contributions", parts.size(),
                    update.contributions));
}

// Every gradient of every replica goes in once, in order.
void Audit::advance(const Atom& update, const std::vector<Contribution>& parts, Version& version) {
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
        reject(version, FindingKind::kMissing, update, replica,
               fmt::format("gradients of replica {} are skipped", replica));
      progress = std::max(progress, step + 1);
      const std::uint64_t lag = update.step - std::min(step, update.step);
      style_.largest_lag = std::max(style_.largest_lag, lag);
      style_.smallest_lag = std::min(style_.smallest_lag, lag);
    }
    style_.computes_per_update.insert(steps.size());
  }
  const bool opaque = parts.empty() && !run_.values().expand(update.inputs[1], true).empty();
  if (opaque) return;
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

}  // namespace convoy::check
