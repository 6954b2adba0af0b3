#pragma once

#include <convoy/planner.hpp>

#include <cstdint>
#include <vector>

namespace convoy_strategies {

constexpr std::int64_t kMostPacks = 65536;  // plans with many more operations are refused anyway

// One range per variable, except that neighbours of at most max_bytes each are joined, at most
// max_group of them. The ranges cover the arena: padding belongs to the variable before it.
inline std::vector<convoy::Range> pack_small_gradients(const convoy::Planner& p,
                                                       std::uint64_t max_bytes,
                                                       std::uint64_t max_group) {
  std::vector<std::uint64_t> begins;
  std::uint64_t members = 0;  // variables in the last pack; 0 when it may not grow
  for (std::uint32_t i = 0; i < p.variable_count(); ++i) {
    const convoy::VariableInfo variable = p.variable(i);
    const bool small = variable.elements * sizeof(float) <= max_bytes;
    if (small && members > 0 && members < max_group) {
      ++members;
      continue;
    }
    begins.push_back(i == 0 ? 0 : variable.range.first);
    members = small ? 1 : 0;
  }
  std::vector<convoy::Range> packs;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const std::uint64_t end = i + 1 < begins.size() ? begins[i + 1] : p.arena_elements();
    packs.push_back({begins[i], end - begins[i]});
  }
  return packs;
}

// The options that gradient_packs() reads, as lines of a manifest.
#define CONVOY_GRADIENT_PACK_OPTIONS                                                         \
  "option=gradient_repacking:int:0::Cut all gradients into this many packs; 0 = the host's " \
  "buckets.",                                                                                \
      "option=agg_small_grads_max_bytes:int:0::Reduces variables separately, and packs "     \
      "neighbouring gradients of at most this size together; 0 = off. gradient_repacking "   \
      "overrides it.",                                                                       \
      "option=agg_small_grads_max_group:int:10::Maximum number of gradients in such a pack."

// The ranges that are reduced one by one, as the options say.
inline std::vector<convoy::Range> gradient_packs(const convoy::Planner& p) {
  const std::int64_t repacking = p.integer("gradient_repacking");
  const std::int64_t small_bytes = p.integer("agg_small_grads_max_bytes");
  const std::int64_t small_group = p.integer("agg_small_grads_max_group");
  if (repacking < 0 || repacking > kMostPacks || small_bytes < 0 || small_group < 1)
    p.refuse("gradient_repacking=" + std::to_string(repacking) +
             ", agg_small_grads_max_bytes=" + std::to_string(small_bytes) +
             ", agg_small_grads_max_group=" + std::to_string(small_group) +
             ": the first is from 0 to " + std::to_string(kMostPacks) +
             ", the second at least 0, the last at least 1");
  if (repacking > 0) return convoy::split(p.arena(), static_cast<std::uint64_t>(repacking));
  if (small_bytes > 0)
    return pack_small_gradients(p, static_cast<std::uint64_t>(small_bytes),
                                static_cast<std::uint64_t>(small_group));
  return p.buckets();
}

}  // namespace convoy_strategies
