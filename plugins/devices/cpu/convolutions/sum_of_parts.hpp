#pragma once

#include <algorithm>
#include <cstddef>

namespace convoy::cpu {

// Sums that tasks have computed for parts of a batch: part p begins at `first + p * distance`.
struct PartialSums {
  const float* first;
  std::size_t parts;
  std::size_t distance;  // floats
};

// total[i] <- the sum of all parts' elements i, for i < count. Parts are added in their order, so
// the result does not depend on which thread computed which.
inline void add_parts(const PartialSums& sums, float* total, std::size_t count) {
  constexpr std::size_t kStretch = 2048;  // floats that stay in the first-level cache
  for (std::size_t done = 0; done < count; done += kStretch) {
    const std::size_t last = std::min(done + kStretch, count);
    for (std::size_t i = done; i < last; ++i) total[i] = sums.first[i];
    for (std::size_t part = 1; part < sums.parts; ++part) {
      const float* more = sums.first + part * sums.distance;
      for (std::size_t i = done; i < last; ++i) total[i] += more[i];
    }
  }
}

}  // namespace convoy::cpu
