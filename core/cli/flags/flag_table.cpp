#include "core/cli/flags/flag_table.hpp"

#include <algorithm>

#include "core/base/text/nearest.hpp"

namespace convoy::cli {
void FlagTable::add(FlagDefinition flag) {
  for (const FlagDefinition& known : flags_) {
    if (known.name != flag.name) continue;
    fail(ExitCode::kUnavailable,
         "flag --{} is defined twice: under \"{}\" and under \"{}\"; rename the plug-in's option",
         flag.name, known.group, flag.group);
  }
  if (flag.type == FlagType::kEnum && flag.allowed.empty() && flag.alias_of.empty()) {
    fail(ExitCode::kUnavailable, "flag --{} takes one of a list of values, but the list is empty",
         flag.name);
  }
  if (flag.default_value) {
    try {
      flag.default_value = canonical_value(flag, *flag.default_value, *flag.default_value);
    } catch (const Error& error) {
      fail(ExitCode::kUnavailable, "flag --{} has a default that it would refuse: {}", flag.name,
           error.what());
    }
  }
  flags_.push_back(std::move(flag));
}

void FlagTable::add_all(std::vector<FlagDefinition> flags) {
  for (FlagDefinition& flag : flags) add(std::move(flag));
}

void FlagTable::replace_all(std::vector<FlagDefinition> flags) {
  for (FlagDefinition& flag : flags) {
    std::erase_if(flags_, [&](const FlagDefinition& known) { return known.name == flag.name; });
    add(std::move(flag));
  }
}

void FlagTable::refuse(const std::string& name, const std::string& reason) {
  const auto found = std::ranges::find(flags_, name, &FlagDefinition::name);
  CONVOY_CHECK(found != flags_.end());
  found->refusal = reason;
}

const FlagDefinition* FlagTable::find(std::string_view name) const {
  for (const FlagDefinition& flag : flags_) {
    if (flag.name == name) return flag.alias_of.empty() ? &flag : find(flag.alias_of);
  }
  return nullptr;
}

std::string FlagTable::nearest(std::string_view name) const {
  std::size_t best = most_edits(name) + 1;
  std::string found;
  const auto consider = [&](const std::string& candidate) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance >= best) return;
    best = distance;
    found = candidate;
  };
  for (const FlagDefinition& flag : flags_) {
    consider(flag.name);
    if (flag.type == FlagType::kBool) consider("no" + flag.name);
  }
  return found;
}

}  // namespace convoy::cli
