#include "core/cli/flag_table.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "core/base/error.hpp"

namespace convoy {
namespace {

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

bool answers_to(const FlagDefinition& definition, std::string_view name) {
  return definition.name == name ||
         std::ranges::find(definition.aliases, name) != definition.aliases.end();
}

// Insertions, deletions and replacements that turn one word into the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t k = 0; k < b.size(); ++k) {
      const std::size_t replaced = diagonal + (a[i] == b[k] ? 0 : 1);
      diagonal = row[k + 1];
      row[k + 1] = std::min({replaced, row[k] + 1, row[k + 1] + 1});
    }
  }
  return row.back();
}

std::string boolean_value(std::string_view text, std::string_view source) {
  for (std::string_view yes : {"true", "t", "yes", "y", "1"}) {
    if (equal_ignoring_case(text, yes)) return "true";
  }
  for (std::string_view no : {"false", "f", "no", "n", "0"}) {
    if (equal_ignoring_case(text, no)) return "false";
  }
  fail(ExitCode::kUsage, "{}: a boolean is true or false", source);
}

std::string enum_value(const FlagDefinition& definition, std::string_view text,
                       std::string_view source) {
  for (const auto& allowed : definition.allowed) {
    if (equal_ignoring_case(text, allowed)) return allowed;
  }
  fail(ExitCode::kUsage, "{}: it must be one of {}", source, fmt::join(definition.allowed, ", "));
}

std::string bounds_text(const FlagDefinition& definition) {
  const auto& [low, high] = std::pair(definition.minimum, definition.maximum);
  if (low && high) return fmt::format("from {} to {}", *low, *high);
  if (low) return fmt::format("at least {}", *low);
  if (high) return fmt::format("at most {}", *high);
  return "finite";
}

template <typename Number>
std::string number_value(const FlagDefinition& definition, std::string_view text,
                         std::string_view source, std::string_view kind) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    fail(ExitCode::kUsage, "{}: it must be {}, {}", source, kind, bounds_text(definition));
  }
  const auto number = static_cast<double>(value);
  if (!std::isfinite(number) || (definition.minimum && number < *definition.minimum) ||
      (definition.maximum && number > *definition.maximum)) {
    fail(ExitCode::kUsage, "{}: it must be {}", source, bounds_text(definition));
  }
  return std::string(text);
}

}  // namespace

void FlagTable::add(FlagDefinition definition) {
  CONVOY_CHECK(find(definition.name) == nullptr);
  for (const auto& alias : definition.aliases) CONVOY_CHECK(find(alias) == nullptr);
  definitions_.push_back(std::move(definition));
}

void FlagTable::add_option(FlagDefinition definition, std::string_view owner) {
  FlagDefinition* known = find_mutable(definition.name);
  const Option* declared = option(definition.name);
  if (known == nullptr || known->status != FlagStatus::kActive) {
    options_.push_back({definition.name, std::string(owner)});
    if (known != nullptr) {
      *known = std::move(definition);
    } else {
      definitions_.push_back(std::move(definition));
    }
    return;
  }
  if (declared == nullptr || known->type != definition.type) {
    fail(ExitCode::kUnavailable,
         "plug-in {} declares the option '{}', but {} has one of that name already; remove one of "
         "them, or ask the plug-in's author to rename the option",
         owner, definition.name, declared == nullptr ? "convoy itself" : declared->owner);
  }
  for (auto& value : definition.allowed) {
    if (std::ranges::find(known->allowed, value) == known->allowed.end()) {
      known->allowed.push_back(std::move(value));
    }
  }
}

const FlagDefinition* FlagTable::find(std::string_view name) const {
  const auto found = std::ranges::find_if(
      definitions_, [name](const FlagDefinition& d) { return answers_to(d, name); });
  return found == definitions_.end() ? nullptr : &*found;
}

FlagDefinition* FlagTable::find_mutable(std::string_view name) {
  const auto found = std::ranges::find_if(
      definitions_, [name](const FlagDefinition& d) { return answers_to(d, name); });
  return found == definitions_.end() ? nullptr : &*found;
}

const FlagTable::Option* FlagTable::option(std::string_view name) const {
  const auto found = std::ranges::find(options_, name, &Option::name);
  return found == options_.end() ? nullptr : &*found;
}

std::optional<std::string> FlagTable::nearest(std::string_view name) const {
  const std::size_t tolerated = std::max<std::size_t>(2, name.size() / 3);
  std::size_t best_distance = tolerated + 1;
  std::optional<std::string> best;
  const auto consider = [&](const std::string& candidate) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance >= best_distance) return;
    best_distance = distance;
    best = candidate;
  };
  for (const auto& definition : definitions_) {
    consider(definition.name);
    for (const auto& alias : definition.aliases) consider(alias);
    if (definition.type == FlagType::kBool) consider("no" + definition.name);
  }
  return best;
}

std::string checked_value(const FlagDefinition& definition, std::string_view text,
                          std::string_view source) {
  switch (definition.type) {
    case FlagType::kBool:
      return boolean_value(text, source);
    case FlagType::kInteger:
      return number_value<std::int64_t>(definition, text, source, "a whole number");
    case FlagType::kFloat:
      return number_value<double>(definition, text, source, "a number");
    case FlagType::kEnum:
      return enum_value(definition, text, source);
    case FlagType::kString:
      return std::string(text);
  }
  CONVOY_CHECK(!"a flag type outside the enumeration");
  return {};
}

}  // namespace convoy
