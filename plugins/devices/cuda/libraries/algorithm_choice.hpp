#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plugins/devices/cuda/libraries/algorithm_cache.hpp"

namespace convoy::cuda {

// The algorithms that a library proposes for a problem, and how to try them.
struct AlgorithmTrials {
  std::vector<std::int64_t> candidates;  // best guesses first
  std::size_t most = 0;  // at most this many of the runnable candidates are measured
  // Makes this candidate the one that computes; returns false if it cannot.
  std::function<bool(std::int64_t candidate)> prepare;
  // Returns the time of the prepared candidate; empty: it does not run after all.
  std::function<std::optional<double>()> seconds;
};

// Returns the candidate that the cache knows, else the fastest one, or the first one that runs if
// the cache keeps nothing for later processes. The result is prepared, and the cache then knows it.
// Empty: none runs.
std::optional<std::int64_t> choose_algorithm(const AlgorithmTrials& trials, const std::string& key,
                                             AlgorithmCache& cache);

}  // namespace convoy::cuda
