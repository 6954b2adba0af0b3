#include "core/plan/check/dataflow/reaching_gradients.hpp"

#include <cmath>
#include <functional>
#include <vector>

namespace convoy::plan::check {
namespace {

// Kernels may keep older gradients; a few of them are enough to show whether one is missing.
constexpr std::size_t kRemembered = 16;

// A value that a kernel reads twice, such as packed values and their scale, counts once. Returns
// the larger weight.
Weight larger(const Weight& a, const Weight& b) {
  return std::fabs(b.value) > std::fabs(a.value) ? b : a;
}

template <typename Merge>
void merge(ReachingSet& into, const ReachingSet& other, const Weight& by, Merge how) {
  for (const auto& [replica, computes] : other.gradients) {
    ReachingSet::Computes& mine = into.gradients[replica];
    for (const auto& [compute, weight] : computes) {
      const auto [it, inserted] = mine.try_emplace(compute, weight * by);
      if (!inserted) it->second = how(it->second, weight * by);
    }
    while (mine.size() > kRemembered) mine.erase(mine.begin());
  }
  into.parameters = into.parameters || other.parameters;
  if (into.misread == CONVOY_NONE) into.misread = other.misread;
  into.applies.insert(other.applies.begin(), other.applies.end());
}

}  // namespace

// Weights of parts of a sum add up. Terms that come from kernels must already be known.
ReachingSet ReachingGradients::sum(ValueId value) const {
  ReachingSet result;
  for (const Term& term : values_.expand(value, Casts::kThrough)) {
    const Atom& atom = values_.atom(term.atom);
    ReachingSet one;
    if (atom.kind == AtomKind::kGradient) one.gradients[atom.replica][atom.step] = Weight{};
    if (atom.kind == AtomKind::kOpaque) one = known_.at(term.atom);
    one.parameters =
        one.parameters || atom.kind == AtomKind::kInitial || atom.kind == AtomKind::kApply;
    if (atom.kind == AtomKind::kApply) one.applies.insert(term.atom);
    merge(result, one, term.weight, std::plus<>());
  }
  for (auto& [replica, computes] : result.gradients)
    std::erase_if(computes, [](const auto& it) { return it.second.is_zero(); });
  std::erase_if(result.gradients, [](const auto& it) { return it.second.empty(); });
  return result;
}

ReachingSet ReachingGradients::of_known_inputs(AtomId opaque) {
  ReachingSet result;
  for (const ValueId input : values_.atom(opaque).inputs)
    merge(result, sum(input), Weight{}, larger);
  result.operation = values_.atom(opaque).operation;
  if (values_.atom(opaque).message) result.misread = result.operation;
  values_.spend(result.gradients.size() + result.applies.size(), result.operation);
  return result;
}

// Kernels read results of older kernels, so this goes from the oldest to the youngest, without
// recursion.
const ReachingSet& ReachingGradients::of_atom(AtomId opaque) {
  std::set<AtomId> wanted;
  std::vector<AtomId> open{opaque};
  while (!open.empty()) {
    const AtomId next = open.back();
    open.pop_back();
    if (known_.contains(next) || !wanted.insert(next).second) continue;
    for (const ValueId input : values_.atom(next).inputs)
      for (const Term& term : values_.expand(input, Casts::kThrough))
        if (values_.atom(term.atom).kind == AtomKind::kOpaque) open.push_back(term.atom);
  }
  for (const AtomId next : wanted) known_.emplace(next, of_known_inputs(next));
  return known_.at(opaque);
}

ReachingSet ReachingGradients::of_value(ValueId value) {
  for (const Term& term : values_.expand(value, Casts::kThrough))
    if (values_.atom(term.atom).kind == AtomKind::kOpaque) of_atom(term.atom);
  return sum(value);
}

}  // namespace convoy::plan::check
