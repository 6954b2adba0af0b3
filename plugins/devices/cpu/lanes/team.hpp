#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>

namespace convoy::cpu {

// Below this many elements per thread, waking the team costs more than the work.
inline constexpr std::size_t kParallelGrain = 16384;

// The number of threads of the calling thread's team. A program runs on the team that builds it.
inline std::size_t team_size() {
  return static_cast<std::size_t>(omp_get_max_threads());
}

// The number of parts into which work on `count` elements is divided on the calling thread's team.
inline std::size_t team_parts(std::size_t count, std::size_t grain) {
  return std::clamp<std::size_t>(count / std::max<std::size_t>(grain, 1), 1, team_size());
}

// Calls body(first, count) on stretches that partition [0, count), on the team of the calling
// thread when there is enough work. Stretches start at multiples of a cache line of floats. The
// body must not throw.
template <typename Body>
void parallel_stretches(std::size_t count, const Body& body, std::size_t grain = kParallelGrain) {
  constexpr std::size_t kLine = 16;
  const std::size_t parts = team_parts(count, grain);
  if (parts <= 1) {
    if (count > 0) body(std::size_t{0}, count);
    return;
  }
  const std::size_t share = ((count + parts - 1) / parts + kLine - 1) / kLine * kLine;
#pragma omp parallel for schedule(static, 1) num_threads(static_cast <int>(parts))
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t first = std::min(part * share, count);
    const std::size_t size = std::min(share, count - first);
    if (size > 0) body(first, size);
  }
}

// Calls body(index) for every index in [0, count), on the team when count > 1.
template <typename Body>
void parallel_indices(std::size_t count, const Body& body) {
  const std::size_t parts = team_parts(count, 1);
  if (parts <= 1) {
    for (std::size_t index = 0; index < count; ++index) body(index);
    return;
  }
#pragma omp parallel for schedule(static) num_threads(static_cast <int>(parts))
  for (std::size_t index = 0; index < count; ++index) body(index);
}

}  // namespace convoy::cpu
