#include "core/plan/check/audit.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace convoy::check {
namespace {

bool is_one(const Weight& weight) {
  return weight.field == 1;
}

Weight total(const std::vector<Term>& terms) {
  Weight sum{0, 0};
  for (const Term& term : terms) sum = sum + term.weight;
  return sum;
}

}  // namespace

std::string describe_range(const ArenaMap& arena, const ElementRange& range) {
  const auto holder = [&](std::uint64_t element) -> const VariableRange* {
    for (const VariableRange& it : arena.variables)
      if (element >= it.range.first && element < it.range.first + it.range.count) return &it;
    return nullptr;
  };
  const std::uint64_t end = range.first + range.count;
  const VariableRange* first = holder(range.first);
  if (first == nullptr) return fmt::format("arena [{}..{})", range.first, end);
  const std::uint64_t begin = first->range.first;
  if (end <= begin + first->range.count)
    return fmt::format("{} [{}..{})", first->name, range.first - begin, end - begin);
  return fmt::format("{} to {}, arena [{}..{})", first->name, arena.variable_at(end - 1),
                     range.first, end);
}

void Audit::report(FindingKind kind, std::uint32_t operation, std::uint32_t replica,
                   const ElementRange& range, const std::string& what) {
  if (!seen_.insert({kind, operation, replica}).second) return;
  std::string text = what;
  const std::size_t prologue = plan_.prologue.size();
  if (operation != CONVOY_NONE) {
    const Operation& it =
        operation < prologue ? plan_.prologue[operation] : plan_.body[operation - prologue];
    text = fmt::format("{} (operation {}) on {}: {}", operation_name(it.kind), operation,
                       describe_range(*plan_.arena, range), what);
  }
  findings_.push_back({kind, operation, replica, range, text});
}

void Audit::reject(Version& version, FindingKind kind, const Atom& update, std::uint32_t replica,
                   const std::string& what) {
  version.sound = false;
  report(kind, update.operation, replica, update.range, what);
}

const Version& Audit::parameters(ValueId value, const ElementRange& range, std::uint32_t reader) {
  const auto known = versions_.find(value);
  if (known != versions_.end()) return known->second;
  Version version = examine(value, range, reader);
  return versions_.emplace(value, std::move(version)).first->second;
}

Version Audit::examine(ValueId id, const ElementRange& range, std::uint32_t reader) {
  Version version;
  version.progress.assign(plan_.cluster->replicas(), 0);
  const Value& value = run_.values().value(id);
  const auto refuse = [&](FindingKind kind, std::uint32_t operation, const std::string& what) {
    version.sound = false;
    report(kind, operation, CONVOY_NONE, range, what);
    return version;
  };
  if (value.poison)
    return value.buffer == CONVOY_NONE
               ? refuse(FindingKind::kMissing, reader, "its forward leaves out these elements")
               : refuse(FindingKind::kUninitialised, value.operation,
                        fmt::format("it reads {} before anything is written there",
                                    plan_.buffer_name(value.buffer)));
  const std::vector<Term> exact = run_.values().expand(id, false);
  const std::vector<Term> terms = run_.values().expand(id, true);
  style_.rounded = style_.rounded || exact.size() != terms.size() ||
                   !std::equal(exact.begin(), exact.end(), terms.begin(),
                               [](const Term& a, const Term& b) { return a.atom == b.atom; });
  if (!value.constant.is_zero() || terms.empty())
    return refuse(FindingKind::kForeign, value.operation,
                  fmt::format("it makes parameters out of the constant {}", value.constant.value));
  for (const Term& term : terms) {
    const Atom& atom = run_.values().atom(term.atom);
    if (atom.kind == AtomKind::kOpaque) return from_inputs(atom, range, reader);
    if (atom.kind != AtomKind::kInitial && atom.kind != AtomKind::kApply)
      return refuse(FindingKind::kForeign, value.operation,
                    "it changes parameters by something else than apply");
    if (term.shift != 0)
      return refuse(FindingKind::kShifted, value.operation,
                    fmt::format("its parameters come from {} elements further on", term.shift));
  }
  if (!is_one(total(terms)))
    return refuse(FindingKind::kScaled, value.operation,
                  fmt::format("its parameters are multiplied by {}", total(terms).value));
  if (terms.size() > 1) return mix(terms, range, value.operation);
  const Atom& atom = run_.values().atom(terms.front().atom);
  return atom.kind == AtomKind::kInitial ? version : examine_update(atom);
}

// An average of versions contains what any of them contains, more or less.
Version Audit::mix(const std::vector<Term>& terms, const ElementRange& range,
                   std::uint32_t operation) {
  style_.averaged = true;
  Version result;
  result.progress.assign(plan_.cluster->replicas(), 0);
  result.operation = operation;
  for (const Term& term : terms) {
    const Atom& atom = run_.values().atom(term.atom);
    if (atom.kind == AtomKind::kInitial) continue;
    const Version part = examine_update(atom);
    result.sound = result.sound && part.sound;
    result.updates = std::max(result.updates, part.updates);
    result.last_step = std::max(result.last_step, part.last_step);
    for (std::size_t r = 0; r < result.progress.size(); ++r)
      result.progress[r] = std::max(result.progress[r], part.progress[r]);
  }
  if (!result.sound)
    report(FindingKind::kIrregular, operation, CONVOY_NONE, range,
           "it averages parameters of which some are wrong");
  return result;
}

// The nearest known atoms behind kernels.
void Audit::collect_opaque(ValueId value, std::vector<AtomId>& atoms) {
  for (const Term& term : run_.values().expand(value, true)) {
    const Atom& atom = run_.values().atom(term.atom);
    if (std::find(atoms.begin(), atoms.end(), term.atom) != atoms.end()) continue;
    atoms.push_back(term.atom);
    if (atom.kind == AtomKind::kOpaque)
      for (const ValueId input : atom.inputs) collect_opaque(input, atoms);
  }
}

// Parameters that a kernel made: all that can be said is what they depend on.
Version Audit::from_inputs(const Atom& opaque, const ElementRange& range, std::uint32_t reader) {
  style_.opaque = true;
  Version result;
  result.progress.assign(plan_.cluster->replicas(), 0);
  result.operation = opaque.operation;
  std::vector<AtomId> atoms;
  for (const ValueId input : opaque.inputs) collect_opaque(input, atoms);
  for (const AtomId id : atoms) {
    const Atom& atom = run_.values().atom(id);
    if (atom.kind == AtomKind::kGradient) {
      auto& progress = result.progress[atom.replica];
      progress = std::max(progress, atom.step + 1);
    }
    if (atom.kind != AtomKind::kApply) continue;
    const Version part = parameters(run_.values().leaf_of(id), range, reader);
    for (std::size_t r = 0; r < result.progress.size(); ++r)
      result.progress[r] = std::max(result.progress[r], part.progress[r]);
  }
  return result;
}

}  // namespace convoy::check
