#pragma once

#include <convoy/planner.hpp>

#include <cstdint>
#include <vector>

namespace convoy_strategies {

// One range per variable, where neighbours of at most max_bytes each are joined, at most max_group
// together.
inline std::vector<convoy::Range> pack_small_gradients(const convoy::Planner& p,
                                                       std::uint64_t max_bytes,
                                                       std::uint64_t max_group) {
  std::vector<convoy::Range> packs;
  std::uint64_t members = 0;  // of the last pack while it may still grow
  for (std::uint32_t i = 0; i < p.variable_count(); ++i) {
    const convoy_variable variable = p.variable(i);
    const bool small = variable.elements * 4 <= max_bytes;
    if (small && members > 0 && members < max_group) {
      packs.back().count = variable.range.first + variable.range.count - packs.back().first;
      ++members;
      continue;
    }
    packs.push_back(variable.range);
    members = small ? 1 : 0;
  }
  // Gaps between variables hold nothing, but every element of the arena belongs to a pack.
  for (std::size_t i = 0; i < packs.size(); ++i) {
    const std::uint64_t end = i + 1 < packs.size() ? packs[i + 1].first : p.arena_elements();
    packs[i].count = end - packs[i].first;
  }
  return packs;
}

// The ranges that are reduced one by one, as the options say.
inline std::vector<convoy::Range> gradient_packs(const convoy::Planner& p) {
  const std::int64_t repacking = p.integer("gradient_repacking");
  const std::int64_t small_bytes = p.integer("agg_small_grads_max_bytes");
  const std::int64_t small_group = p.integer("agg_small_grads_max_group");
  if (repacking < 0 || small_bytes < 0 || small_group < 1)
    p.refuse(
        "gradient_repacking and agg_small_grads_max_bytes are at least 0, "
        "agg_small_grads_max_group at least 1");
  if (repacking > 0) return convoy::split(p.arena(), static_cast<std::uint64_t>(repacking));
  if (small_bytes > 0)
    return pack_small_gradients(p, static_cast<std::uint64_t>(small_bytes),
                                static_cast<std::uint64_t>(small_group));
  return p.buckets();
}

}  // namespace convoy_strategies
