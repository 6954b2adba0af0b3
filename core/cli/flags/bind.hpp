#pragma once

// Makes flags from the fields that they set. A field's current value is the flag's default, and its
// type determines the values of the flag. The fields must outlive the parsing.

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/numbers/bounds.hpp"
#include "core/base/text/number.hpp"
#include "core/cli/flags/flag.hpp"
#include "core/job/option_bounds.hpp"

namespace convoy::cli {

// Joins the flags of all parts into one list, in that order.
inline std::vector<FlagDefinition> joined(
    std::initializer_list<std::vector<FlagDefinition>> parts) {
  std::vector<FlagDefinition> flags;
  for (const std::vector<FlagDefinition>& part : parts)
    flags.insert(flags.end(), part.begin(), part.end());
  return flags;
}

// Puts the flags under this heading of the help.
inline std::vector<FlagDefinition> in_group(const std::string& group,
                                            std::vector<FlagDefinition> flags) {
  for (FlagDefinition& flag : flags) flag.group = group;
  return flags;
}

template <typename Field>
concept WholeNumber = std::integral<Field> && !std::same_as<Field, bool>;
template <typename Field>
concept Number = WholeNumber<Field> || std::same_as<Field, double>;

// Returns the number in a canonical value, which always parses.
template <Number Field>
Field canonical_number(const std::string& text) {
  const std::optional<Field> value = parse_number<Field>(text);
  CONVOY_CHECK(value.has_value());
  return *value;
}

// A flag of a type that has no overload below. `store` takes the given value.
inline FlagDefinition custom_flag(std::string name, FlagType type,
                                  std::optional<std::string> default_value,
                                  std::function<void(const std::string&)> store, std::string help) {
  FlagDefinition flag;
  flag.name = std::move(name);
  flag.type = type;
  flag.default_value = std::move(default_value);
  flag.help = std::move(help);
  flag.store = std::move(store);
  return flag;
}

// Marks a flag that help shows even without a topic.
inline FlagDefinition common(FlagDefinition flag) {
  flag.common = true;
  return flag;
}

// Lets two flags that set the same thing in different ways name each other.
inline FlagDefinition instead_of(std::string other, FlagDefinition flag) {
  flag.instead_of = std::move(other);
  return flag;
}

inline FlagDefinition bind_flag(std::string name, bool& field, std::string help) {
  return custom_flag(
      std::move(name), FlagType::kBool, field ? "true" : "false",
      [&field](const std::string& value) { field = value == "true"; }, std::move(help));
}

inline FlagDefinition bind_flag(std::string name, std::optional<bool>& field, std::string help) {
  return custom_flag(
      std::move(name), FlagType::kBool, {},
      [&field](const std::string& value) { field = value == "true"; }, std::move(help));
}

inline FlagDefinition bind_flag(std::string name, std::string& field, std::string help) {
  return custom_flag(
      std::move(name), FlagType::kString, field,
      [&field](const std::string& value) { field = value; }, std::move(help));
}

// The field is unset until the flag is given.
inline FlagDefinition bind_flag(std::string name, std::optional<std::string>& field,
                                std::string help) {
  return custom_flag(
      std::move(name), FlagType::kString, {}, [&field](const std::string& value) { field = value; },
      std::move(help));
}

// Sets the bounds of a number. The bounds of a whole number must fit its field.
template <Number Field>
FlagDefinition with_range(FlagDefinition flag, Bounds range) {
  flag.bounds = range;
  if constexpr (WholeNumber<Field>) {
    using Limits = std::numeric_limits<Field>;
    CONVOY_CHECK(range.least >= static_cast<double>(Limits::min()) &&
                 range.most <= static_cast<double>(Limits::max()));
  }
  return flag;
}

template <Number Field>
FlagDefinition bind_flag(std::string name, Field& field, Bounds range, std::string help) {
  return with_range<Field>(
      custom_flag(
          std::move(name), WholeNumber<Field> ? FlagType::kInt : FlagType::kFloat,
          fmt::format("{}", field),
          [&field](const std::string& value) { field = canonical_number<Field>(value); },
          std::move(help)),
      range);
}

// The field is unset until the flag is given. shown_default is the default that the program then
// uses, if it is a number.
template <Number Field>
FlagDefinition bind_flag(std::string name, std::optional<Field>& field, Bounds range,
                         std::string help, std::optional<std::string> shown_default = {}) {
  return with_range<Field>(
      custom_flag(
          std::move(name), WholeNumber<Field> ? FlagType::kInt : FlagType::kFloat,
          std::move(shown_default),
          [&field](const std::string& value) { field = canonical_number<Field>(value); },
          std::move(help)),
      range);
}

// A flag for a number of a job. It has the bounds of the job's field.
template <Number Field>
FlagDefinition bind_option(std::string name, Field& field, std::string help) {
  const Bounds bounds = job::bounds_of(name);
  return bind_flag(std::move(name), field, bounds, std::move(help));
}
template <Number Field>
FlagDefinition bind_option(std::string name, std::optional<Field>& field, std::string help,
                           std::optional<std::string> shown_default = {}) {
  const Bounds bounds = job::bounds_of(name);
  return bind_flag(std::move(name), field, bounds, std::move(help), std::move(shown_default));
}

// The same, but zero unsets the field and is the default.
template <WholeNumber Field>
FlagDefinition bind_unset_by_zero(std::string name, std::optional<Field>& field, std::string help) {
  const Bounds bounds = {0, job::bounds_of(name).most};
  FlagDefinition flag = bind_flag(std::move(name), field, bounds, std::move(help), "0");
  flag.store = [&field](const std::string& value) {
    const auto number = canonical_number<Field>(value);
    field = number == 0 ? std::nullopt : std::optional(number);
  };
  return flag;
}

// A flag that takes one of several words.
inline FlagDefinition bind_words(std::string name, std::string& field,
                                 std::vector<std::string> allowed, std::string help) {
  FlagDefinition flag = bind_flag(std::move(name), field, std::move(help));
  flag.type = FlagType::kEnum;
  flag.allowed = std::move(allowed);
  return flag;
}

// A flag that takes a word and stores the value that belongs to it.
template <typename Field>
FlagDefinition bind_choice(std::string name, Field& field,
                           std::vector<std::pair<std::string, Field>> choices, std::string help) {
  std::string initial;
  std::vector<std::string> allowed;
  for (const auto& [word, value] : choices) {
    allowed.push_back(word);
    if (value == field) initial = word;
  }
  FlagDefinition flag = custom_flag(
      std::move(name), FlagType::kEnum, initial,
      [&field, choices = std::move(choices)](const std::string& given) {
        for (const auto& [word, value] : choices)
          if (word == given) field = value;
      },
      std::move(help));
  flag.allowed = std::move(allowed);
  return flag;
}

}  // namespace convoy::cli
