#include "core/plan/check/symmetry/prefix_cache.hpp"

#include <algorithm>

#include "core/plan/check/findings.hpp"

namespace convoy::plan::check {
namespace {

constexpr std::size_t kWorthKeeping = 32;  // items

}  // namespace

RunPosition PrefixCache::begin(std::span<const PartOperations::Item> items, std::uint32_t leader,
                               Fingerprint& result) {
  const Period now{items, leader, passes_.only_group()};
  const bool goes_on = place_.item > 0 && common_items(kept_, now) >= place_.item;
  kept_at_ = goes_on ? 0 : matching_items(last_, now);
  if (kept_at_ < kWorthKeeping) kept_at_ = 0;
  last_ = now;
  if (!goes_on) return {};
  memory_.hold(held_);
  passes_.restore(progress_);
  result = result_;
  return place_;
}

void PrefixCache::keep(const RunPosition& place, const Fingerprint& result) {
  kept_ = last_;
  place_ = place;
  result_ = result;
  held_ = memory_.held();
  progress_ = passes_.all_progress();
}

// Returns how many items at the beginning have the same operations. Both parts have one stretch of
// the arena, so the passes over it come in the same order, too.
std::size_t PrefixCache::common_items(const Period& a, const Period& b) {
  if (a.passes == nullptr || a.passes != b.passes || a.leader != b.leader) return 0;
  const auto [end, unused] = std::ranges::mismatch(
      a.items, b.items, {}, &PartOperations::Item::operation, &PartOperations::Item::operation);
  return static_cast<std::size_t>(end - a.items.begin());
}

// Returns how many of these do the same to memory with the same fingerprint in both parts.
std::size_t PrefixCache::matching_items(const Period& a, const Period& b) const {
  std::size_t count = 0;
  const std::size_t equal = common_items(a, b);
  while (count < equal && does_the_same(operation_of(plan_, b.items[count].operation))) ++count;
  return count;
}

// Masters, and memory that is not numbered as the arena, are excluded: their fingerprint is their
// order of appearance in the part.
bool PrefixCache::does_the_same(const Operation& operation) const {
  if (dependences_[operation.id] != Dependence::kElements) return false;
  const std::size_t first = lives_.first_span(operation.id);
  const std::size_t count = operation.reads.size() + operation.writes.size();
  for (std::size_t span = first; span < first + count; ++span) {
    const std::uint32_t memory = lives_.memory(span);
    if (!partition_.in_arena(memory) ||
        plan_.buffers[lives_.buffer(memory)].kind == CONVOY_BUFFER_MASTER)
      return false;
  }
  return true;
}

}  // namespace convoy::plan::check
