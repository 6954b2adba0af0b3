#include "plugins/devices/cuda/libraries/algorithm_choice.hpp"

#include <algorithm>

namespace convoy::cuda {
namespace {

// Returns the fastest of the first `most` candidates that run.
std::optional<std::int64_t> fastest(const AlgorithmTrials& trials, std::size_t most) {
  std::optional<std::int64_t> best;
  double least = 0;
  std::size_t measured = 0;
  for (const std::int64_t candidate : trials.candidates) {
    if (measured == most) break;
    if (!trials.prepare(candidate)) continue;
    const std::optional<double> time = trials.seconds();
    if (!time) continue;
    ++measured;
    if (best && *time >= least) continue;
    best = candidate;
    least = *time;
  }
  return best;
}

}  // namespace

// Algorithms round differently, and two measurements may choose different ones. If the choice
// cannot be kept, every run takes the first guess that runs.
std::optional<std::int64_t> choose_algorithm(const AlgorithmTrials& trials, const std::string& key,
                                             AlgorithmCache& cache) {
  const std::optional<std::int64_t> known = cache.find(key);
  if (known &&
      std::find(trials.candidates.begin(), trials.candidates.end(), *known) !=
          trials.candidates.end() &&
      trials.prepare(*known))
    return known;
  const std::optional<std::int64_t> best = fastest(trials, cache.keeps() ? trials.most : 1);
  if (!best || !trials.prepare(*best)) return std::nullopt;
  cache.add(key, *best);
  return best;
}

}  // namespace convoy::cuda
