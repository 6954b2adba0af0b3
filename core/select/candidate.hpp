#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/plugin/manifest.hpp"

namespace convoy::select {

// One way to share variables and gradients that --variable_update=auto may take.
struct Candidate {
  std::string strategy;
  std::map<std::string, std::string> options;  // those that differ from the defaults
  std::uint64_t bucket_elements = 0;           // 0: nothing is said about it

  bool operator==(const Candidate&) const = default;
};

// As flags of `convoy run`: "--variable_update=replicated --all_reduce_spec=xring --bucket_mb=16".
std::string flags_of(const Candidate& candidate);

// Whether the strategy knows all of these options.
bool declares_all(const Manifest& manifest, const std::map<std::string, std::string>& given);

// Bucket sizes worth comparing for a model, in elements: 16 MiB, then 1 to 128 MiB; of the sizes
// that hold the whole model only one.
std::vector<std::uint64_t> bucket_sizes(std::uint64_t arena_elements);

// The candidates among the strategies: every variant that a manifest names (the defaults when it
// names none) with every bucket size, in the order of the arguments. Options that the user gave,
// `given`, hold for all: strategies that do not declare one of them and variants that contradict
// one drop out. Equal candidates count once.
std::vector<Candidate> enumerate_candidates(std::span<const Manifest> strategies,
                                            const std::map<std::string, std::string>& given,
                                            std::span<const std::uint64_t> bucket_elements);

}  // namespace convoy::select
