#include "core/plan/check/symmetry/partition_refinement.hpp"

#include <algorithm>

#include "core/base/process/large_pages.hpp"

namespace convoy::plan::check {
namespace {

constexpr std::size_t kMostCuts = 40'000'000;
constexpr int kMostRounds = 16;

}  // namespace

void Cuts::add(std::uint64_t at) {
  const std::size_t count = all_.size();
  if (count > 0 && (all_[count - 1] == at || (count > 1 && all_[count - 2] == at))) return;
  if (sorted_ && count > 1 && all_[count - 2] < at && at < all_[count - 1]) {
    all_.insert(all_.end() - 1, at);  // the end of the memory is added first
    return;
  }
  sorted_ = sorted_ && (all_.empty() || all_.back() < at);
  all_.push_back(at);
  if (!sorted_ && all_.size() >= 2 * std::size_t{tidy_} + 64) tidy();
}

const std::vector<std::uint64_t>& Cuts::sorted() {
  if (!sorted_) tidy();
  return all_;
}

std::size_t Cuts::index(std::uint64_t at) const {
  if (all_.front() == at) return 0;
  if (all_.back() == at) return all_.size() - 1;
  if (found_ < all_.size() && all_[found_] == at) return found_;
  if (found_ + 1 < all_.size() && all_[found_ + 1] == at) return ++found_;
  if (found_ > 0 && found_ <= all_.size() && all_[found_ - 1] == at) return --found_;
  const auto it = std::lower_bound(all_.begin(), all_.end(), at);
  return found_ = static_cast<std::uint32_t>(it - all_.begin());
}

void Cuts::tidy() {
  std::sort(all_.begin(), all_.end());
  all_.erase(std::unique(all_.begin(), all_.end()), all_.end());
  sorted_ = true;
  tidy_ = static_cast<std::uint32_t>(all_.size());
}

PartitionRefinement::PartitionRefinement(const Plan& plan, const ScratchLiveRanges& lives,
                                         const std::vector<std::uint32_t>& space_of_memory,
                                         std::size_t spaces)
    : plan_(plan), lives_(lives), space_(space_of_memory) {
  reserve_large(spaces_, spaces);
  spaces_.resize(spaces);
}

bool PartitionRefinement::cut() {
  begin_spaces();
  const auto sections = {&plan_.prologue, &plan_.body};
  for (const auto* section : sections)
    for (const Operation& operation : *section) add_ends(operation);
  for (int round = 0; round < kMostRounds; ++round) {
    changed_ = false;
    if (count_cuts() > kMostCuts) return false;
    for (const auto* section : sections)
      for (const Operation& operation : *section) spread(operation);
    if (!changed_) return true;
  }
  return false;
}

void PartitionRefinement::begin_spaces() {
  spaces_[0].cuts = 0;
  cuts_.emplace_back();
  for (const std::uint64_t at : {std::uint64_t{0}, plan_.arena->elements}) add(0, at);
  for (std::uint32_t memory = 0; memory < space_.size(); ++memory) {
    const std::uint64_t count = plan_.buffers[lives_.buffer(memory)].count;
    spaces_[space_[memory]].ends[1] = count;
    for (const std::uint64_t at : {std::uint64_t{0}, count}) add(space_[memory], at);
  }
}

void PartitionRefinement::add(std::size_t space, std::uint64_t at) {
  Space& it = spaces_[space];
  if (it.cuts == kWhole) {
    if (it.ends[0] < it.ends[1] && (at == it.ends[0] || at == it.ends[1])) return;
    it.cuts = static_cast<std::uint32_t>(cuts_.size());
    cuts_.emplace_back();
    for (const std::uint64_t end : it.ends) cuts_.back().add(end);
  }
  cuts_[it.cuts].add(at);
}

std::size_t PartitionRefinement::count_cuts() {
  std::size_t all = 2 * (spaces_.size() - cuts_.size());
  for (Cuts& it : cuts_) all += it.sorted().size();
  return all;
}

void PartitionRefinement::add_ends(const Operation& operation) {
  std::size_t number = lives_.first_span(operation.id);
  for (const auto* spans : {&operation.reads, &operation.writes})
    for (const PlanSpan& span : *spans) {
      const std::uint32_t space = space_[lives_.memory(number++)];
      add(space, span.first);
      add(space, span.first + span.count);
    }
}

// Calls visit(span, number, offset of its first element in the operation's own numbers, is_piece).
template <typename Visit>
void PartitionRefinement::for_each_span(const Operation& operation, Dependence dependence,
                                        Visit visit) {
  std::size_t number = lives_.first_span(operation.id);
  const std::size_t reads = mixed_reads(operation);
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < operation.reads.size(); ++i, ++number) {
    if (i >= reads) continue;
    visit(operation.reads[i], number, offset, dependence == Dependence::kGathers);
    if (dependence == Dependence::kGathers) offset += operation.reads[i].count;
  }
  offset = 0;
  for (const PlanSpan& span : operation.writes) {
    visit(span, number++, offset, dependence == Dependence::kScatters);
    if (dependence == Dependence::kScatters) offset += span.count;
  }
}

// Makes every cut inside one span a cut of all spans. Pieces lie one behind the other.
void PartitionRefinement::spread(const Operation& operation) {
  const Dependence dependence = dependence_of(operation);
  if (dependence == Dependence::kAll || dependence == Dependence::kNothing ||
      is_compute(operation.kind))
    return;
  inside_.clear();
  for_each_span(operation, dependence,
                [&](const PlanSpan& span, std::size_t number, std::uint64_t offset, bool is_piece) {
                  collect(span, number, offset, is_piece);
                });
  if (inside_.empty()) return;
  if (!std::is_sorted(inside_.begin(), inside_.end())) std::sort(inside_.begin(), inside_.end());
  inside_.erase(std::unique(inside_.begin(), inside_.end()), inside_.end());
  for_each_span(operation, dependence,
                [&](const PlanSpan& span, std::size_t number, std::uint64_t offset, bool) {
                  cut_alike(span, number, offset);
                });
}

void PartitionRefinement::collect(const PlanSpan& span, std::size_t number, std::uint64_t offset,
                                  bool is_piece) {
  const std::uint32_t space = space_[lives_.memory(number)];
  const std::span<const std::uint64_t> all = of(space);
  if (is_piece && offset > 0) inside_.push_back(offset);
  const std::size_t begin = index(space, span.first) + 1;
  const std::size_t end = index(space, span.first + span.count);
  const std::uint64_t by = offset - span.first;
  // Most spans of an operation are cut alike.
  const bool known = end - begin == inside_.size() &&
                     std::equal(inside_.begin(), inside_.end(), all.begin() + begin,
                                [&](std::uint64_t a, std::uint64_t b) { return a == b + by; });
  if (known) return;
  for (std::size_t i = begin; i < end; ++i) inside_.push_back(all[i] + by);
}

void PartitionRefinement::cut_alike(const PlanSpan& span, std::size_t number,
                                    std::uint64_t offset) {
  const std::uint32_t space = space_[lives_.memory(number)];
  const auto begin = std::upper_bound(inside_.begin(), inside_.end(), offset);
  const auto end = std::lower_bound(begin, inside_.end(), offset + span.count);
  const auto stretches = static_cast<std::size_t>(end - begin) + 1;
  if (index(space, span.first + span.count) - index(space, span.first) == stretches) return;
  for (auto it = begin; it != end; ++it) add(space, *it - offset + span.first);
  cuts_[spaces_[space].cuts].sorted();
  changed_ = true;
}

}  // namespace convoy::plan::check
