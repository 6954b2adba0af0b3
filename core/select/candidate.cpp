#include "core/select/candidate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace convoy::select {
namespace {

using Options = std::map<std::string, std::string>;

const plugin::OptionDeclaration* declaration(const plugin::Manifest& manifest,
                                             const std::string& name) {
  const auto found = std::find_if(manifest.options.begin(), manifest.options.end(),
                                  [&](const auto& option) { return option.name == name; });
  return found == manifest.options.end() ? nullptr : &*found;
}

// Returns the variant's options and the user's; empty if they contradict each other.
std::optional<Options> merged(const plugin::Manifest& manifest, const plugin::Variant& variant,
                              const Options& given) {
  Options options;
  for (const auto& [name, value] : given)
    options[name] = plugin::checked_option_value(*declaration(manifest, name), value);
  for (const auto& [name, value] : variant)
    if (options.try_emplace(name, value).first->second != value) return std::nullopt;
  std::erase_if(options, [&](const auto& option) {
    return declaration(manifest, option.first)->default_value == option.second;
  });
  return options;
}

}  // namespace

bool declares_all(const plugin::Manifest& manifest, const Options& given) {
  return std::all_of(given.begin(), given.end(), [&](const auto& option) {
    return declaration(manifest, option.first) != nullptr;
  });
}

std::string flags_of(const Candidate& candidate) {
  std::string flags = fmt::format("--variable_update={}", candidate.strategy);
  for (const auto& [name, value] : candidate.options) flags += fmt::format(" --{}={}", name, value);
  if (candidate.bucket_elements == 0) return flags;
  constexpr double kElementsPerMegabyte = 1048576.0 / sizeof(float);
  return flags + fmt::format(" --bucket_mb={:g}",
                             static_cast<double>(candidate.bucket_elements) / kElementsPerMegabyte);
}

std::vector<std::uint64_t> bucket_sizes(std::uint64_t arena_elements) {
  constexpr std::uint64_t kMegabytes[] = {16, 1, 2, 4, 8, 32, 64, 128};
  std::vector<std::uint64_t> sizes;
  bool whole = false;
  for (const std::uint64_t megabytes : kMegabytes) {
    const std::uint64_t elements = (megabytes << 20) / sizeof(float);
    if (elements < arena_elements || !std::exchange(whole, true)) sizes.push_back(elements);
  }
  return sizes;
}

std::vector<Candidate> enumerate_candidates(std::span<const plugin::Manifest> strategies,
                                            const Options& given,
                                            std::span<const std::uint64_t> bucket_elements) {
  std::vector<Candidate> candidates;
  for (const plugin::Manifest& manifest : strategies) {
    if (!manifest.in_auto || !declares_all(manifest, given)) continue;
    const std::vector<plugin::Variant> defaults(1);
    for (const plugin::Variant& variant :
         manifest.variants.empty() ? defaults : manifest.variants) {
      const std::optional<Options> options = merged(manifest, variant, given);
      if (!options) continue;
      for (const std::uint64_t elements : bucket_elements) {
        const Candidate candidate{manifest.name, *options, elements};
        if (std::find(candidates.begin(), candidates.end(), candidate) == candidates.end())
          candidates.push_back(candidate);
      }
    }
  }
  return candidates;
}

}  // namespace convoy::select
