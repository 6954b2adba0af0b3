#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/plugin/manifest.hpp"

namespace convoy::select {

// The value of --variable_update that leaves the choice to convoy.
inline constexpr const char* kAutoStrategy = "auto";

// One way to share variables and gradients that --variable_update=auto may take.
struct Candidate {
  std::string strategy;
  std::map<std::string, std::string> options;  // options that differ from the defaults
  std::uint64_t bucket_elements = 0;           // 0: not chosen

  bool operator==(const Candidate&) const = default;
};

// Writes the candidate as flags of `convoy run`: "--variable_update=replicated
// --all_reduce_spec=xring --bucket_mb=16".
std::string flags_of(const Candidate& candidate);

// Returns whether the strategy knows all of these options.
bool declares_all(const plugin::Manifest& manifest,
                  const std::map<std::string, std::string>& given);

// Returns the bucket sizes to compare for a model, in elements: 16 MiB, then 1 to 128 MiB. Of the
// sizes that hold the whole model, only one is kept.
std::vector<std::uint64_t> bucket_sizes(std::uint64_t arena_elements);

// Lists the candidates of the strategies, in the order of the arguments: every variant that a
// manifest names (the defaults if it names none) with every bucket size. The options `given` by the
// user hold for all candidates: a strategy that does not declare them is left out, and so is a
// variant with another value. Equal candidates count once.
std::vector<Candidate> enumerate_candidates(std::span<const plugin::Manifest> strategies,
                                            const std::map<std::string, std::string>& given,
                                            std::span<const std::uint64_t> bucket_elements);

}  // namespace convoy::select
