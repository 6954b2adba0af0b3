#include "core/cli/flags/flag.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>

#include "core/base/numbers/bounds.hpp"
#include "core/base/text/number.hpp"

namespace convoy::cli {
namespace {

constexpr std::array<std::string_view, 5> kTrueWords = {"true", "t", "1", "yes", "y"};
constexpr std::array<std::string_view, 5> kFalseWords = {"false", "f", "0", "no", "n"};

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return lower;
}

template <typename Number>
std::optional<std::string> canonical_number(const FlagDefinition& flag, std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const std::optional<Number> value = parse_number<Number>(text);
  if (!value) return {};
  const double number = static_cast<double>(*value);
  if (!std::isfinite(number) || !flag.bounds.contain(number)) return {};
  return fmt::format("{}", *value);
}

std::optional<std::string> canonical_bool(std::string_view text) {
  const std::string lower = lower_case(text);
  if (std::find(kTrueWords.begin(), kTrueWords.end(), lower) != kTrueWords.end()) return "true";
  if (std::find(kFalseWords.begin(), kFalseWords.end(), lower) != kFalseWords.end()) return "false";
  return {};
}

std::optional<std::string> canonical_enum(const FlagDefinition& flag, std::string_view text) {
  const std::string lower = lower_case(text);
  for (const std::string& allowed : flag.allowed) {
    if (lower_case(allowed) == lower) return allowed;
  }
  return {};
}

std::optional<std::string> try_canonical(const FlagDefinition& flag, std::string_view text) {
  switch (flag.type) {
    case FlagType::kBool:
      return canonical_bool(text);
    case FlagType::kInt:
      return canonical_number<std::int64_t>(flag, text);
    case FlagType::kFloat:
      return canonical_number<double>(flag, text);
    case FlagType::kString:
      return std::string(text);
    case FlagType::kEnum:
      return canonical_enum(flag, text);
  }
  return {};
}

std::string list_of(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i].empty() ? "\"\"" : words[i];
  }
  return text;
}

}  // namespace

std::string describe_values(const FlagDefinition& flag) {
  switch (flag.type) {
    case FlagType::kBool:
      return "true or false";
    case FlagType::kInt:
    case FlagType::kFloat:
      return bounds_text(flag.bounds, flag.type == FlagType::kInt);
    case FlagType::kString:
      return "text";
    case FlagType::kEnum:
      return list_of(flag.allowed);
  }
  return {};
}

std::string canonical_value(const FlagDefinition& flag, std::string_view value,
                            const std::string& source) {
  std::optional<std::string> canonical = try_canonical(flag, value);
  if (!canonical) fail(ExitCode::kUsage, "{}: it must be {}", source, describe_values(flag));
  return *canonical;
}

void require_distinct(const std::string& flag, const std::string& list,
                      const std::vector<std::string>& values) {
  std::set<std::string_view> known;
  for (const std::string& value : values)
    if (!known.insert(value).second)
      fail(ExitCode::kUsage, "--{}={}: '{}' occurs twice", flag, list, value);
}

}  // namespace convoy::cli
