#include "core/cli/flag_help.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace convoy {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kIndent = 6;

// Breaks at spaces; every line starts with the indentation.
std::string wrapped(std::string_view text) {
  std::string result;
  std::string line;
  const auto flush = [&] {
    result += std::string(kIndent, ' ') + line + '\n';
    line.clear();
  };
  while (!text.empty()) {
    const auto space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    if (!line.empty() && kIndent + line.size() + 1 + word.size() > kWidth) flush();
    if (!line.empty()) line += ' ';
    line += word;
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  if (!line.empty()) flush();
  return result;
}

std::string value_form(const FlagDefinition& flag) {
  switch (flag.type) {
    case FlagType::kBool:
      return fmt::format("--[no]{}", flag.name);
    case FlagType::kInteger:
      return fmt::format("--{}=<integer>", flag.name);
    case FlagType::kFloat:
      return fmt::format("--{}=<number>", flag.name);
    case FlagType::kEnum:
      return fmt::format("--{}={}", flag.name, fmt::join(flag.allowed, "|"));
    case FlagType::kString:
      break;
  }
  return fmt::format("--{}=<text>", flag.name);
}

std::string describe(const FlagDefinition& flag) {
  std::string title = "  " + value_form(flag);
  if (flag.default_value && !flag.default_value->empty()) {
    title += fmt::format("  (default {})", *flag.default_value);
  }
  std::string help = flag.help;
  if (flag.minimum && flag.maximum) {
    help += fmt::format(" From {} to {}.", *flag.minimum, *flag.maximum);
  } else if (flag.minimum && *flag.minimum > 0) {
    help += fmt::format(" At least {}.", *flag.minimum);
  }
  if (!flag.aliases.empty()) help += fmt::format(" Also --{}.", fmt::join(flag.aliases, ", --"));
  return title + '\n' + wrapped(help);
}

std::string names_with_status(const FlagTable& table, FlagStatus status, std::string_view title) {
  std::vector<std::string> names;
  for (const auto& flag : table.definitions()) {
    if (flag.status == status) names.push_back(flag.name);
  }
  if (names.empty()) return {};
  return fmt::format("\n{}:\n", title) + wrapped(fmt::format("{}", fmt::join(names, ", ")));
}

}  // namespace

std::string flag_help(const FlagTable& table, std::string_view introduction) {
  std::vector<std::string> groups;
  for (const auto& flag : table.definitions()) {
    const bool known = std::ranges::find(groups, flag.group) != groups.end();
    if (flag.status == FlagStatus::kActive && !known) groups.push_back(flag.group);
  }
  std::string text(introduction);
  for (const auto& group : groups) {
    text += fmt::format("\n{}:\n", group);
    for (const auto& flag : table.definitions()) {
      if (flag.status == FlagStatus::kActive && flag.group == group) text += describe(flag);
    }
  }
  text += names_with_status(table, FlagStatus::kIgnored, "Accepted, without effect");
  text += names_with_status(table, FlagStatus::kNotYet, "Known, not available yet");
  text += names_with_status(table, FlagStatus::kMeaningless, "Known, without meaning here");
  return text;
}

}  // namespace convoy
