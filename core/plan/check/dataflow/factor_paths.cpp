#include "core/plan/check/dataflow/factor_paths.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/plan/check/findings.hpp"

namespace convoy::plan::check {
namespace {

bool is_linear(OperationKind kind) {
  return kind != OperationKind::kDot && kind != OperationKind::kSquareRoot &&
         kind != OperationKind::kOrthogonalise;
}

bool takes_extreme(const Operation& it) {
  return it.reduction != CONVOY_REDUCE_SUM &&
         (it.kind == OperationKind::kSum || is_collective(it.kind));
}

}  // namespace

FactorPaths::FactorPaths(const Plan& plan, const ValueTable& values)
    : plan_(plan), values_(values) {
  has_any_ = std::any_of(plan.body.begin(), plan.body.end(), [](const Operation& it) {
    return has_factor(it.kind) || it.kind == OperationKind::kMatmul || !is_linear(it.kind) ||
           takes_extreme(it);
  });
}

std::string FactorPaths::maker(AtomId atom) const {
  const Operation& operation = operation_of(plan_, values_.atom(atom).operation);
  return fmt::format("{} (operation {})", operation_name(operation.kind), operation.id);
}

std::string FactorPaths::problem(ValueId sum) {
  if (!has_any_) return "";
  for (const Term& term : values_.expand(sum, Casts::kThrough))
    if (values_.atom(term.atom).kind == AtomKind::kOpaque) know(term.atom);
  const Found found = of_sum(sum);
  if (!found.problem.empty()) return found.problem;
  return found.paths.size() > 1 ? "the gradients in it are multiplied by different factors" : "";
}

// Returns the atoms that must be known first.
std::vector<AtomId> FactorPaths::older(AtomId atom) const {
  std::vector<AtomId> result;
  for (const auto* values : {&values_.atom(atom).inputs, &values_.atom(atom).factors})
    for (const ValueId value : *values)
      for (const Term& term : values_.expand(value, Casts::kThrough))
        if (values_.atom(term.atom).kind == AtomKind::kOpaque) result.push_back(term.atom);
  return result;
}

// Goes from the oldest atom to the youngest, without recursion.
void FactorPaths::know(AtomId atom) {
  std::set<AtomId> wanted;
  std::vector<AtomId> open{atom};
  while (!open.empty()) {
    const AtomId next = open.back();
    open.pop_back();
    if (known_.contains(next) || !wanted.insert(next).second) continue;
    for (const AtomId before : older(next)) open.push_back(before);
  }
  for (const AtomId next : wanted) known_.emplace(next, of_known(next));
}

void FactorPaths::Found::add(const Found& part) {
  for (const Path path : part.paths) add(path);
  if (problem.empty()) problem = part.problem;
}

FactorPaths::Path FactorPaths::longer(Path path, std::uint64_t factor, OperationKind by) {
  const std::pair key{path, factor << 8 | static_cast<std::uint64_t>(by)};
  return longer_.try_emplace(key, static_cast<Path>(longer_.size() + 1)).first->second;
}

FactorPaths::Found FactorPaths::of_sum(ValueId value) const {
  Found result;
  for (const Term& term : values_.expand(value, Casts::kThrough)) {
    const AtomKind kind = values_.atom(term.atom).kind;
    if (kind == AtomKind::kGradient) result.add(kNoFactor);
    if (kind == AtomKind::kOpaque) result.add(known_.at(term.atom));
  }
  return result;
}

FactorPaths::Found FactorPaths::of_known(AtomId id) {
  const Atom& atom = values_.atom(id);
  const Operation& operation = operation_of(plan_, atom.operation);
  if (has_factor(operation.kind)) return of_product(atom, operation);
  if (operation.kind == OperationKind::kMatmul) return of_matrices(id, atom);
  Found result;
  for (const ValueId input : atom.inputs) result.add(of_sum(input));
  if (!is_linear(operation.kind) && !result.paths.empty())
    result.problem = fmt::format("gradients go through {}, which is not linear", maker(id));
  if (takes_extreme(operation) && !result.paths.empty())
    result.problem =
        fmt::format("{} takes the smallest or largest of gradients, which is no mean", maker(id));
  return result;
}

// A factor that is a single number may depend on gradients; a factor per element must not.
FactorPaths::Found FactorPaths::of_product(const Atom& atom, const Operation& operation) {
  const Found value = of_sum(atom.inputs.front());
  const Found factor = of_sum(atom.factors.front());
  Found result;
  result.problem = value.problem;
  if (!factor.paths.empty() && (!atom.one_factor || value.paths.empty()))
    result.problem =
        fmt::format("what {} (operation {}) multiplies or divides by depends on gradients",
                    operation_name(operation.kind), operation.id);
  for (const Path path : value.paths)
    result.add(longer(path, atom.factors.front(), operation.kind));
  if (value.paths.empty()) result.paths = factor.paths;
  return result;
}

FactorPaths::Found FactorPaths::of_matrices(AtomId id, const Atom& atom) {
  Found sides[2];
  for (int side = 0; side < 2; ++side)
    for (const ValueId input : atom.sides[side]) sides[side].add(of_sum(input));
  const int value = sides[0].paths.empty() ? 1 : 0;
  Found result;
  result.problem = sides[value].problem;
  if (!sides[0].paths.empty() && !sides[1].paths.empty())
    result.problem = fmt::format("{} multiplies gradients by gradients", maker(id));
  for (const Path path : sides[value].paths)
    result.add(longer(path, atom.reads[1 - value], OperationKind::kMatmul));
  return result;
}

}  // namespace convoy::plan::check
