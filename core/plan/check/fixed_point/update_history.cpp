#include "core/plan/check/fixed_point/update_history.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/plan/check/findings.hpp"

namespace convoy::plan::check {
namespace {

bool is_one(const Weight& weight) {
  return weight.field == 1;
}

Weight total(const std::vector<Term>& terms) {
  Weight sum{0, 0};
  for (const Term& term : terms) sum = sum + term.weight;
  return sum;
}

// Returns what is wrong with an operation that makes or reads messages of compressors.
std::string what_is_misread(OperationKind kind) {
  const auto loose = [](const char* unpacks) {
    return fmt::format(
        "its message gets to parameters, but not whole through a {}: what it adds there is not "
        "known",
        unpacks);
  };
  const auto foreign = [](const char* packs) {
    return fmt::format(
        "what it reads are not known to be messages of {}, each with both its parts of one step: "
        "what it makes of them is not known",
        packs);
  };
  switch (kind) {
    case OperationKind::kTopK:
      return loose("scatter");
    case OperationKind::kQuantise:
      return loose("dequantise");
    case OperationKind::kScatter:
      return foreign("top_k");
    case OperationKind::kDequantise:
      return foreign("quantise with the same code and block");
    default:
      return "it may read the parts of a message from different steps, for its reads are relaxed";
  }
}

}  // namespace

void UpdateHistory::report(FindingKind kind, std::uint32_t operation, std::uint32_t replica,
                           const ElementRange& range, const std::string& what) {
  if (!seen_.insert({kind, operation, replica}).second) return;
  findings_.push_back(finding_at(plan_, kind, operation, replica, range, what));
  findings_.back().what = what;
}

void UpdateHistory::reject(Version& version, FindingKind kind, const Atom& update,
                           std::uint32_t replica, const std::string& what) {
  version.sound = false;
  report(kind, update.operation, replica, update.range, what);
}

// Goes through older versions first, without recursion, because a period may have millions of
// updates.
const Version& UpdateHistory::version_of(ValueId value, const ElementRange& range,
                                         std::uint32_t reader) {
  const auto known = versions_.find(value);
  if (known != versions_.end()) return known->second;
  std::map<ValueId, Place> found{{value, {range, reader}}};
  std::vector<ValueId> open{value};
  while (!open.empty()) {
    const ValueId next = open.back();
    open.pop_back();
    std::map<ValueId, Place> older;
    collect_older(next, found.at(next), older);
    for (const auto& [id, place] : older)
      if (!versions_.contains(id) && found.emplace(id, place).second) open.push_back(id);
  }
  for (const auto& [id, place] : found)
    versions_.emplace(id, examine(id, place.range, place.reader));
  return versions_.at(value);
}

// Collects the older versions from which this one is made.
void UpdateHistory::collect_older(ValueId value, const Place& place,
                                  std::map<ValueId, Place>& found) {
  const ValueTable& values = run_.values();
  const std::vector<Term> terms = values.expand(value, Casts::kThrough);
  for (const Term& term : terms) {
    const Atom& atom = values.atom(term.atom);
    if (atom.kind == AtomKind::kOpaque)
      for (const AtomId apply : reaching_.of_atom(term.atom).applies)
        found.emplace(values.leaf_of(apply), place);
    if (atom.kind != AtomKind::kApply) continue;
    const ValueId leaf = values.leaf_of(term.atom);
    if (leaf != value)
      found.emplace(leaf, place);
    else
      found.emplace(atom.inputs[0], Place{atom.range, atom.operation});
  }
}

// Returns why the value cannot be parameters, whatever operation made it.
std::optional<UpdateHistory::Fault> UpdateHistory::fault_of(const Value& value,
                                                            const std::vector<Term>& terms,
                                                            std::uint32_t reader) const {
  if (value.poison && value.buffer == CONVOY_NONE)
    return Fault{FindingKind::kMissing, reader, "its forward leaves out these elements"};
  if (value.poison)
    return Fault{FindingKind::kUninitialised, value.operation,
                 fmt::format("it reads {} before anything is written there: write it before, or in "
                             "the prologue if the first step reads what a step leaves",
                             plan_.buffer_name(value.buffer))};
  if (!value.constant.is_zero() || terms.empty())
    return Fault{FindingKind::kForeign, value.operation,
                 fmt::format("it makes parameters out of the constant {}", value.constant.value)};
  return std::nullopt;
}

// Returns why a sum is not an average of parameters.
std::optional<UpdateHistory::Fault> UpdateHistory::fault_of_sum(
    const Value& sum, const std::vector<Term>& terms) const {
  for (const Term& term : terms) {
    const AtomKind kind = run_.values().atom(term.atom).kind;
    if (kind != AtomKind::kInitial && kind != AtomKind::kApply)
      return Fault{FindingKind::kForeign, sum.operation,
                   "it changes parameters by something else than apply"};
    if (term.shift != 0)
      return Fault{FindingKind::kShifted, sum.operation,
                   fmt::format("its parameters come from {} elements further on", term.shift)};
  }
  if (!is_one(total(terms)))
    return Fault{FindingKind::kScaled, sum.operation,
                 fmt::format("its parameters are multiplied by {}", total(terms).value)};
  return std::nullopt;
}

Version UpdateHistory::first_version() const {
  Version version;
  version.progress.assign(plan_.cluster->replicas(), 0);
  return version;
}

Version UpdateHistory::examine(ValueId id, const ElementRange& range, std::uint32_t reader) {
  const ValueTable& values = run_.values();
  const Value& value = values.value(id);
  std::vector<Term> terms;
  if (!value.poison) {
    for (const Term& term : values.expand(id, Casts::kKept)) note_rounding(values.atom(term.atom));
    terms = values.expand(id, Casts::kThrough);
  }
  std::optional<Fault> fault = fault_of(value, terms, reader);
  if (!fault && std::ranges::any_of(terms, [&](const Term& term) {
        return values.atom(term.atom).kind == AtomKind::kOpaque;
      }))
    return made_by_kernels(terms, range, reader);
  if (!fault) fault = fault_of_sum(value, terms);
  Version version = first_version();
  if (fault) {
    version.sound = false;
    report(fault->kind, fault->operation, CONVOY_NONE, range, fault->what);
    return version;
  }
  if (terms.size() > 1) return mix(terms, range, value.operation);
  const Atom& atom = values.atom(terms.front().atom);
  if (atom.kind == AtomKind::kInitial) return version;
  const ValueId leaf = values.leaf_of(terms.front().atom);
  return leaf == id ? examine_update(atom) : version_of(leaf, range, reader);
}

// An average of versions contains every gradient that any of them contains, with some weight.
Version UpdateHistory::mix(const std::vector<Term>& terms, const ElementRange& range,
                           std::uint32_t operation) {
  style_.averaged = true;
  Version result = first_version();
  result.operation = operation;
  for (const Term& term : terms) {
    const Atom& atom = run_.values().atom(term.atom);
    if (atom.kind == AtomKind::kInitial) continue;
    const Version& part = version_of(run_.values().leaf_of(term.atom), range, operation);
    result.sound = result.sound && part.sound;
    result.updates = std::max(result.updates, part.updates);
    result.last_step = std::max(result.last_step, part.last_step);
    for (std::size_t r = 0; r < result.progress.size(); ++r)
      result.progress[r] = std::max(result.progress[r], part.progress[r]);
  }
  // A finding that leaves a part unproved leaves the average unproved, too.
  if (!result.sound && any_wrong(findings_))
    report(FindingKind::kIrregular, operation, CONVOY_NONE, range,
           "it averages parameters of which some are wrong");
  return result;
}

void UpdateHistory::note_kernel(std::uint32_t operation) {
  style_.opaque = true;
  const Operation& call = operation_of(plan_, operation);
  if (call.kind == OperationKind::kCall)
    style_.kernels.insert(call.details->kernel);
  else
    style_.factors.insert(std::string(operation_name(call.kind)));
}

void UpdateHistory::note_unapplied(const ReachingSet& reaching) {
  for (const auto& [replica, computes] : reaching.gradients)
    for (const auto& [compute, weight] : computes) unapplied_.emplace(replica, compute);
}

// Whether parameters contain products, roots, minima and similar values that only the run knows.
bool UpdateHistory::has_computed_part(const std::vector<Term>& terms, const ElementRange& range) {
  for (const Term& term : terms) {
    const Atom& atom = run_.values().atom(term.atom);
    if (atom.kind != AtomKind::kOpaque) continue;
    const OperationKind kind = operation_of(plan_, atom.operation).kind;
    if (kind == OperationKind::kCall) continue;
    report(FindingKind::kUnknown, atom.operation, CONVOY_NONE, range,
           fmt::format("parameters are made by {}, whose result only the run knows",
                       factors_.maker(term.atom)));
    note_unapplied(reaching_.of_atom(term.atom));
    return true;
  }
  return false;
}

// Notes a cast, or the result of a compressor or a declared kernel for a sum.
void UpdateHistory::note_rounding(const Atom& atom) {
  if (atom.kind != AtomKind::kCast) return;
  style_.rounded = true;
  const Operation& operation = operation_of(plan_, atom.operation);
  const OperationKind made_by = operation.kind;
  if (made_by == OperationKind::kCall) style_.compressing_kernels.insert(operation.details->kernel);
  if (is_compression(made_by) || made_by == OperationKind::kMatmul)
    style_.compressors.emplace(operation_name(made_by));
}

bool UpdateHistory::is_misread(const ReachingSet& reaching, const ElementRange& range) {
  if (reaching.misread == CONVOY_NONE) return false;
  report(FindingKind::kUnknown, reaching.misread, CONVOY_NONE, range,
         what_is_misread(operation_of(plan_, reaching.misread).kind));
  return true;
}

// Examines parameters that were made with kernels: checks what they depend on, and that all parts
// form one update.
Version UpdateHistory::made_by_kernels(const std::vector<Term>& terms, const ElementRange& range,
                                       std::uint32_t reader) {
  Version result = first_version();
  result.sound = !has_computed_part(terms, range);
  if (!result.sound) return result;
  Weight total_of_parameters{0, 0};
  const auto include = [&](AtomId apply) {
    const Version& part = version_of(run_.values().leaf_of(apply), range, reader);
    result.updates = std::max(result.updates, part.updates);
    for (std::size_t r = 0; r < result.progress.size(); ++r)
      result.progress[r] = std::max(result.progress[r], part.progress[r]);
  };
  for (const Term& term : terms) {
    const Atom& atom = run_.values().atom(term.atom);
    bool parameters = atom.kind == AtomKind::kInitial || atom.kind == AtomKind::kApply;
    if (atom.kind == AtomKind::kApply) include(term.atom);
    if (atom.kind == AtomKind::kOpaque) {
      note_kernel(atom.operation);
      result.operation = atom.operation;
      const ReachingSet& reaching = reaching_.of_atom(term.atom);
      if (is_misread(reaching, range)) result.sound = false;
      parameters = reaching.parameters;
      for (const AtomId apply : reaching.applies) include(apply);
      for (const auto& [replica, computes] : reaching.gradients)
        result.progress[replica] = std::max(result.progress[replica], computes.rbegin()->first + 1);
    }
    if (parameters) total_of_parameters = total_of_parameters + term.weight;
  }
  if (is_one(total_of_parameters) || !result.sound) return result;
  result.sound = false;
  report(FindingKind::kUndeclared, result.operation, CONVOY_NONE, range,
         fmt::format("parameters are made by a kernel that does not say what it does (effect), and "
                     "as far as it keeps what it reads they are multiplied by {:.6g}",
                     total_of_parameters.value));
  return result;
}

}  // namespace convoy::plan::check
