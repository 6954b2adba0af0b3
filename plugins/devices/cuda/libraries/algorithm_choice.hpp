#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plugins/devices/cuda/libraries/algorithm_cache.hpp"

namespace convoy::cuda {

// The ways to compute something that a library proposes, and how one is tried.
struct AlgorithmTrials {
  std::vector<std::int64_t> candidates;  // best guesses first
  std::size_t most = 0;                  // of those that run are measured
  // Makes the candidate the one that computes; false: it cannot.
  std::function<bool(std::int64_t candidate)> prepare;
  // Of the prepared one; empty: it does not run after all.
  std::function<std::optional<double>()> seconds;
};

// The candidate that the cache knows, else the fastest, or the first that runs where the cache
// keeps nothing for later processes; the cache then knows it, and it is prepared. Empty: none runs.
std::optional<std::int64_t> choose_algorithm(const AlgorithmTrials& trials, const std::string& key,
                                             AlgorithmCache& cache);

}  // namespace convoy::cuda
