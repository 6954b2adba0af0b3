#include "core/plan/check/recurrence/push_sum.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "core/plan/check/findings.hpp"
#include "core/plan/check/recurrence/matrix_limit.hpp"

namespace convoy::plan::check {
namespace {

constexpr std::size_t kMostBuffers = 256;  // of sums, or of weights

// Returns the value of all elements, if they have a common value.
std::optional<ValueId> whole_value(const BufferContent& content) {
  const auto& intervals = content.intervals();
  return intervals.size() == 1 ? std::optional(intervals.front().value) : std::nullopt;
}

}  // namespace

PushSum::PushSum(const Plan& plan, const SymbolicRun& period, const SymbolicRun& begun)
    : plan_(plan), period_(period), begun_(begun), values_(period.values()) {
  if (std::ranges::find(plan.body, OperationKind::kDivide, &Operation::kind) == plan.body.end())
    return;
  find_candidates();
  keep_equal();
  if (candidates_.empty() || !settle(sums_) || !settle(weights_) || !are_all_uses()) return;
  for (const Candidate& it : candidates_) {
    const std::uint64_t weight = times(it.weight, weights_.held).field;
    if (weight == 0) continue;
    ratios_[it.atom] = {values_.atom(it.atom).inputs.front(), inverse(from_field(weight))};
  }
}

const PushSum::Ratio* PushSum::find(AtomId atom) const {
  const auto found = ratios_.find(atom);
  return found == ratios_.end() ? nullptr : &found->second;
}

std::optional<Weight> PushSum::settled(std::uint32_t buffer) const {
  const auto found = sums_.held.find(buffer);
  return ratios_.empty() || found == sums_.held.end() ? std::nullopt : std::optional(found->second);
}

void PushSum::find_candidates() {
  for (AtomId id = 0; id < values_.atoms(); ++id) {
    const Atom& atom = values_.atom(id);
    if (atom.kind != AtomKind::kOpaque || atom.factors.empty() ||
        operation_of(plan_, atom.operation).kind != OperationKind::kDivide)
      continue;
    const auto weight = held_in(atom.factors.front(), Part::kWeight, false);
    if (!weight || !extend(weights_, *weight)) continue;
    const auto sum = held_in(atom.inputs.front(), Part::kSum, true);
    if (sum && extend(sums_, *sum)) candidates_.push_back({id, *sum, *weight});
  }
}

// Returns the memory in a value; none if anything in it is not known. Sums may have gradients and
// errors, too. If `anywhere`, all memory may be shifted by the same number.
std::optional<PushSum::Row> PushSum::held_in(ValueId id, Part part, bool anywhere) const {
  const Value& value = values_.value(id);
  if (value.poison || !value.constant.is_zero()) return std::nullopt;
  Row row;
  std::set<std::int64_t> shifts;
  for (const Term& term : values_.expand(id, Casts::kErrors)) {
    const Atom& atom = values_.atom(term.atom);
    const bool comes_along = atom.kind == AtomKind::kGradient || atom.kind == AtomKind::kCast;
    if (comes_along && part == Part::kSum) continue;
    if (atom.kind != AtomKind::kHeld || (part == Part::kWeight && !(term.weight.value > 0)))
      return std::nullopt;
    shifts.insert(term.shift);
    row[atom.buffer] = term.weight;
  }
  const bool fits = shifts.size() == 1 && (anywhere || *shifts.begin() == 0);
  return fits ? std::optional(std::move(row)) : std::nullopt;
}

std::optional<Weight> PushSum::start_of(std::uint32_t buffer, Part part) const {
  const std::uint32_t kind = plan_.buffers[buffer].kind;
  if (kind == CONVOY_BUFFER_GRADIENT || kind == CONVOY_BUFFER_SCRATCH) return std::nullopt;
  const auto id = whole_value(begun_.memory(buffer));
  if (!id) return std::nullopt;
  const Value& value = begun_.values().value(*id);
  if (value.poison) return std::nullopt;
  if (part == Part::kWeight)
    return value.fingerprint == Fingerprint{} && value.constant.value >= 0
               ? std::optional(value.constant)
               : std::nullopt;
  if (!value.constant.is_zero()) return std::nullopt;
  Weight sum{0, 0};
  for (const Term& term : begun_.values().expand(*id, Casts::kThrough)) {
    if (begun_.values().atom(term.atom).kind != AtomKind::kInitial || term.shift != 0)
      return std::nullopt;
    sum = sum + term.weight;
  }
  return sum;
}

// Extends a flow by the memory in the row, and by all memory from which it is made from period to
// period. Returns false, without a change, if it is made of anything else.
bool PushSum::extend(Flow& flow, const Row& by) const {
  Flow more{flow.part, {}, {}};
  std::vector<std::uint32_t> open;
  for (const auto& [buffer, unused] : by) open.push_back(buffer);
  while (!open.empty()) {
    const std::uint32_t buffer = open.back();
    open.pop_back();
    if (flow.step.contains(buffer) || more.step.contains(buffer)) continue;
    const auto start = start_of(buffer, flow.part);
    const auto value = whole_value(period_.memory(buffer));
    if (!start || !value) return false;
    auto row = held_in(*value, flow.part, false);
    if (!row) return false;
    for (const auto& [source, unused] : *row) open.push_back(source);
    more.held[buffer] = *start;
    more.step[buffer] = std::move(*row);
  }
  flow.step.merge(more.step);
  flow.held.merge(more.held);
  return true;
}

Weight PushSum::times(const Row& row, const Row& held) const {
  Weight sum{0, 0};
  for (const auto& [buffer, weight] : row) sum = sum + weight * held.at(buffer);
  return sum;
}

PushSum::Row PushSum::next(const Flow& flow, const Row& held) const {
  Row result;
  for (const auto& [buffer, row] : flow.step) {
    values_.spend(row.size(), CONVOY_NONE);
    result[buffer] = times(row, held);
  }
  return result;
}

// Weights that are not zero stay positive: none becomes zero in the first period, and so in no
// later one.
bool PushSum::stay_positive() const {
  const Row later = next(weights_, weights_.held);
  return std::ranges::all_of(weights_.held, [&](const auto& it) {
    return !(it.second.value > 0) || later.at(it.first).value > 0;
  });
}

// Without gradients, a sum must be its weight times the first parameters in every period. If this
// holds for as many periods as there are buffers, it holds for ever.
void PushSum::keep_equal() {
  const std::size_t periods = sums_.step.size() + weights_.step.size();
  if (sums_.step.size() > kMostBuffers || weights_.step.size() > kMostBuffers)
    return candidates_.clear();
  if (!stay_positive()) return candidates_.clear();
  std::erase_if(candidates_,
                [&](const Candidate& it) { return !(times(it.weight, weights_.held).value > 0); });
  Row sums = sums_.held;
  Row weights = weights_.held;
  for (std::size_t t = 0; t <= periods && !candidates_.empty(); ++t) {
    std::erase_if(candidates_, [&](const Candidate& it) {
      values_.spend(it.sum.size() + it.weight.size(), CONVOY_NONE);
      return times(it.sum, sums).field != times(it.weight, weights).field;
    });
    sums = next(sums_, sums);
    weights = next(weights_, weights);
  }
}

// Replaces the contents by their limit. Returns false if they do not converge.
bool PushSum::settle(Flow& flow) const {
  std::map<std::uint32_t, std::uint32_t> numbers;
  for (const auto& [buffer, unused] : flow.step)
    numbers.emplace(buffer, static_cast<std::uint32_t>(numbers.size()));
  std::vector<LinearRow> step;
  FieldMatrix start(numbers.size(), 1);
  for (const auto& [buffer, row] : flow.step) {
    LinearRow& made = step.emplace_back();
    for (const auto& [source, weight] : row) made.push_back({numbers.at(source), weight});
    start.at(numbers.at(buffer), 0) = flow.held.at(buffer).field;
  }
  values_.spend(step.size() * step.size() * step.size() / 16, CONVOY_NONE);
  const Limit limit = limit_of(step);
  if (limit.kind != Stability::kConverges) return false;
  const FieldMatrix end = multiply(limit.kept, multiply(limit.conserved, start));
  for (auto& [buffer, held] : flow.held) {
    held = from_field(end.at(numbers.at(buffer), 0));
  }
  return true;
}

// Whether sums are used only in these quotients. Otherwise they would be read as one multiple of
// the parameters at first and as another one in the end.
bool PushSum::are_all_uses() const {
  for (std::uint32_t b = 0; b < plan_.buffers.size(); ++b) {
    if (plan_.buffers[b].kind == CONVOY_BUFFER_SCRATCH || sums_.step.contains(b) ||
        !period_.relevant(b) || period_.holds_as(b) != b)
      continue;
    for (const auto& [first, value] : period_.memory(b).intervals())
      if (uses_sums(value)) return false;
  }
  return std::ranges::none_of(period_.reads(), [&](const ForwardRead& read) {
    return std::ranges::any_of(period_.contents().content(read.content),
                               [&](const Piece& piece) { return uses_sums(piece.value); });
  });
}

bool PushSum::uses_sums(ValueId value) const {
  if (values_.value(value).poison) return false;
  return std::ranges::any_of(values_.expand(value, Casts::kThrough), [&](const Term& term) {
    const Atom& atom = values_.atom(term.atom);
    return atom.kind == AtomKind::kHeld && sums_.step.contains(atom.buffer);
  });
}

}  // namespace convoy::plan::check
