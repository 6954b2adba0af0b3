#include "core/plan/check/recurrence/period_nodes.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace convoy::plan::check {
namespace {

std::vector<Piece> pieces_of(const BufferContent& content, std::uint64_t count) {
  std::vector<Piece> result;
  for (const auto& [first, value] : content.intervals()) {
    if (!result.empty()) result.back().count = first - result.back().first;
    result.push_back({first, count - first, value});
  }
  return result;
}

}  // namespace

PeriodNodes::PeriodNodes(const Plan& plan, const SymbolicRun& period, const SymbolicRun& begun,
                         const SymmetricProducts* symmetric, const PushSum* ratios)
    : values_(period.values()), symmetric_(symmetric), ratios_(ratios) {
  collect_sides(plan, period);
  CutClosure cuts(sides_.size() + 1, values_);
  for (std::uint32_t s = 0; s < sides_.size(); ++s) cut(cuts, s, begun);
  try {
    cuts.close();
  } catch (OverBudget& where) {
    where = {shifting_operation(cuts.most_cut()), true};
    throw;
  }
  for (std::uint32_t s = 0; s < sides_.size(); ++s) {
    first_node_.push_back(nodes_.size());
    for (const Piece& piece : sides_[s].pieces)
      for (const ElementRange& range : cuts.pieces(cuts_of(s), {piece.first, piece.count}))
        nodes_.push_back({s, range, piece.value, std::nullopt});
  }
  first_node_.push_back(nodes_.size());
}

void PeriodNodes::collect_sides(const Plan& plan, const SymbolicRun& period) {
  side_of_.assign(plan.buffers.size(), UINT32_MAX);
  for (std::uint32_t b = 0; b < plan.buffers.size(); ++b) {
    const PlanBuffer& buffer = plan.buffers[b];
    if (!period.relevant(b) || buffer.kind == CONVOY_BUFFER_SCRATCH || period.holds_as(b) != b)
      continue;
    side_of_[b] = static_cast<std::uint32_t>(sides_.size());
    sides_.push_back({b, nullptr, buffer.kind != CONVOY_BUFFER_PERSISTENT,
                      pieces_of(period.memory(b), buffer.count)});
  }
  for (const ForwardRead& read : period.reads())
    sides_.push_back({CONVOY_NONE, &read, true, period.contents().content(read.content)});
}

void PeriodNodes::cut(CutClosure& cuts, std::uint32_t side, const SymbolicRun& begun) {
  for (const Piece& piece : sides_[side].pieces) {
    cuts.cut(cuts_of(side), piece.first);
    if (!linked_.insert({cuts_of(side), piece.value, piece.first, piece.count}).second) continue;
    for (const Term& term : terms_of(piece.value))
      if (kind(term) == AtomKind::kHeld)
        cuts.link(cuts_of(side), {piece.first, piece.count}, cuts_of(held_side(term)), term.shift);
  }
  if (sides_[side].buffer == CONVOY_NONE) return;
  for (const auto& [first, unused] : begun.memory(sides_[side].buffer).intervals())
    cuts.cut(cuts_of(side), first);
}

// Returns an operation that moves elements to other positions of this memory.
std::uint32_t PeriodNodes::shifting_operation(std::uint32_t cuts) {
  for (std::uint32_t s = 0; s < sides_.size(); ++s) {
    if (cuts_of(s) != cuts) continue;
    for (const Piece& piece : sides_[s].pieces)
      for (const Term& term : terms_of(piece.value))
        if (kind(term) == AtomKind::kHeld && term.shift != 0)
          return values_.value(piece.value).operation;
  }
  return CONVOY_NONE;
}

const std::vector<Term>& PeriodNodes::terms_of(ValueId value) {
  const auto known = terms_.find(value);
  if (known != terms_.end()) return known->second;
  std::vector<Term> terms = through_ratios(values_.expand(value, Casts::kErrors));
  return terms_.emplace(value, through_symmetric(std::move(terms))).first->second;
}

std::vector<Term> PeriodNodes::through_ratios(std::vector<Term> terms) const {
  const auto is_ratio = [&](const Term& it) {
    return ratios_ != nullptr && ratios_->find(it.atom) != nullptr;
  };
  if (std::ranges::none_of(terms, is_ratio)) return terms;
  std::map<std::pair<AtomId, std::int64_t>, Weight> sums;
  const auto add = [&](const Term& term, std::int64_t shift, const Weight& weight) {
    add_weight(sums, {term.atom, shift}, weight);
  };
  for (const Term& term : terms) {
    if (!is_ratio(term)) {
      add(term, term.shift, term.weight);
      continue;
    }
    const PushSum::Ratio& ratio = *ratios_->find(term.atom);
    for (const Term& part : values_.expand(ratio.sum, Casts::kErrors))
      add(part, part.shift + term.shift, part.weight * term.weight * ratio.times);
  }
  terms.clear();
  for (const auto& [key, weight] : sums)
    if (!weight.is_zero()) terms.push_back({key.first, key.second, weight});
  return terms;
}

// Goes from the youngest atom to the oldest, because a product's value is older than the product.
std::vector<Term> PeriodNodes::through_symmetric(std::vector<Term> terms) const {
  if (std::ranges::none_of(terms, [&](const Term& it) { return is_symmetric(it.atom); }))
    return terms;
  std::map<std::pair<AtomId, std::int64_t>, Weight, std::greater<>> open;
  const auto add = [&](const Term& term, std::int64_t shift, const Weight& weight) {
    add_weight(open, {term.atom, term.shift + shift}, weight * term.weight);
  };
  for (const Term& term : terms) add(term, 0, Weight{});
  terms.clear();
  while (!open.empty()) {
    const auto youngest = open.extract(open.begin());
    const auto [atom, shift] = youngest.key();
    if (youngest.mapped().is_zero()) continue;
    terms.push_back({atom, shift, youngest.mapped()});
    if (!is_symmetric(atom)) continue;
    for (const Term& term : values_.expand(values_.atom(atom).inputs.front(), Casts::kErrors))
      add(term, shift, youngest.mapped());
  }
  return terms;
}

std::uint32_t PeriodNodes::held_side(const Term& term) const {
  return side_of_[values_.atom(term.atom).buffer];
}

std::uint32_t PeriodNodes::held(const PeriodNode& node, const Term& term) const {
  const std::uint32_t side = held_side(term);
  const auto element =
      static_cast<std::uint64_t>(static_cast<std::int64_t>(node.range.first) + term.shift);
  const auto begin = nodes_.begin() + static_cast<std::ptrdiff_t>(first_node_[side]);
  const auto end = nodes_.begin() + static_cast<std::ptrdiff_t>(first_node_[side + 1]);
  const auto after =
      std::upper_bound(begin, end, element,
                       [](std::uint64_t at, const PeriodNode& it) { return at < it.range.first; });
  return static_cast<std::uint32_t>(std::prev(after) - nodes_.begin());
}

}  // namespace convoy::plan::check
