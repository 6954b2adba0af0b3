#include "plugins/devices/cpu/operations/operations.hpp"

#include <cmath>
#include <cstring>
#include <vector>

#include "plugins/devices/cpu/kernels/compression.hpp"
#include "plugins/devices/cpu/lanes/team.hpp"
#include "plugins/devices/shared/magnitude.hpp"
#include "plugins/devices/shared/message_shape.hpp"

namespace convoy::cpu {
namespace {

struct Stretch {
  std::size_t first = 0;
  std::size_t count = 0;
  std::size_t above = 0;  // elements with a magnitude above the limit
  std::size_t equal = 0;
};

// The magnitude of the last element that is taken, and how many elements with that magnitude are
// taken.
struct Limit {
  std::uint32_t magnitude = 0;
  std::size_t equal = 0;
};

const float* floats(const convoy_region& region) {
  return static_cast<const float*>(region.data);
}

std::vector<Stretch> cut(std::size_t count) {
  const std::size_t parts = team_parts(count, kParallelGrain);
  std::vector<Stretch> result;
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t first = count * i / parts;
    result.push_back({first, count * (i + 1) / parts - first, 0, 0});
  }
  return result;
}

// Finds it digit by digit, the highest one first.
Limit find_limit(const float* from, const std::vector<Stretch>& stretches, std::size_t wanted) {
  std::vector<std::uint32_t> counts(stretches.size() * kMostDigits);
  std::uint32_t prefix = 0;
  std::uint32_t prefix_shift = kMagnitudeBits;
  for (const std::uint32_t bits : kDigitBits) {
    const std::uint32_t shift = prefix_shift - bits;
    const std::uint32_t digits = 1u << bits;
    std::fill(counts.begin(), counts.end(), 0u);
    parallel_indices(stretches.size(), [&](std::size_t i) {
      compression_kernels().count_digits(&counts[i * kMostDigits], from + stretches[i].first,
                                         stretches[i].count, prefix, prefix_shift, shift,
                                         digits - 1);
    });
    std::uint32_t digit = digits;
    for (std::size_t found = 0; digit-- > 0; wanted -= found) {
      found = 0;
      for (std::size_t i = 0; i < stretches.size(); ++i) found += counts[i * kMostDigits + digit];
      if (found >= wanted) break;
    }
    prefix = prefix << bits | digit;
    prefix_shift = shift;
  }
  return {prefix, wanted};
}

// Takes the elements of one stretch, of which `equal` have the limit's magnitude. `at` is their
// position among all elements that are taken.
void take(const MessageRegions& it, const Stretch& stretch, std::uint32_t limit, std::size_t at,
          std::size_t equal) {
  const float* from = floats(it.whole);
  auto* values = static_cast<float*>(it.message[0].data);
  auto* indices = static_cast<std::int32_t*>(it.message[1].data);
  auto* rest = it.third == nullptr ? nullptr : static_cast<float*>(it.third->data);
  for (std::size_t i = stretch.first; i < stretch.first + stretch.count; ++i) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, from + i, sizeof bits);
    bits &= 0x7fffffffu;
    const bool is_equal = bits == limit && equal > 0;
    const bool taken = bits > limit || is_equal;
    if (is_equal) --equal;
    if (taken) {
      values[at] = from[i];
      indices[at++] = static_cast<std::int32_t>(i);
    }
    if (rest != nullptr) rest[i] = taken || !std::isfinite(from[i]) ? 0.0f : from[i];
  }
}

}  // namespace

void top_k(const convoy_submission& operation) {
  const MessageRegions it = message_regions(operation);
  std::vector<Stretch> stretches = cut(it.whole.count);
  const Limit limit = find_limit(floats(it.whole), stretches, it.message[0].count);
  parallel_indices(stretches.size(), [&](std::size_t i) {
    Stretch& stretch = stretches[i];
    compression_kernels().count_above(floats(it.whole) + stretch.first, stretch.count,
                                      limit.magnitude, &stretch.above, &stretch.equal);
  });
  // What each stretch takes, and its position in the message.
  std::vector<std::size_t> begins(stretches.size());
  std::vector<std::size_t> equals(stretches.size());
  std::size_t at = 0;
  std::size_t left = limit.equal;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    begins[i] = at;
    equals[i] = std::min(left, stretches[i].equal);
    left -= equals[i];
    at += stretches[i].above + equals[i];
  }
  parallel_indices(stretches.size(), [&](std::size_t i) {
    take(it, stretches[i], limit.magnitude, begins[i], equals[i]);
  });
}

void scatter(const convoy_submission& operation) {
  const MessageRegions it = message_regions(operation);
  auto* to = static_cast<float*>(it.whole.data);
  const float* onto = it.third == nullptr ? nullptr : floats(*it.third);
  if (onto != to)
    parallel_stretches(it.whole.count, [&](std::size_t first, std::size_t size) {
      if (onto == nullptr)
        std::fill(to + first, to + first + size, 0.0f);
      else
        std::memcpy(to + first, onto + first, size * sizeof(float));
    });
  const std::size_t count = it.per_message(0);
  for (std::uint64_t message = 0; message < it.messages; ++message) {
    const float* values = floats(it.message[0]) + message * count;
    const auto* indices = static_cast<const std::int32_t*>(it.message[1].data) + message * count;
    parallel_stretches(count, [&](std::size_t first, std::size_t size) {
      for (std::size_t i = first; i < first + size; ++i) {
        const auto at = static_cast<std::uint32_t>(indices[i]);  // a negative one becomes large
        if (at < it.whole.count) to[at] += values[i];
      }
    });
  }
}

}  // namespace convoy::cpu
