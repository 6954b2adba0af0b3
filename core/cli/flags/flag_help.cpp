#include <algorithm>
#include <sstream>

#include "core/cli/flags/flag_table.hpp"

namespace convoy {
namespace {

constexpr std::size_t kHelpWidth = 96;

// Breaks a text between words; every line starts with the indent.
std::string wrapped(const std::string& text, const std::string& indent) {
  std::istringstream words(text);
  std::string lines;
  std::string line = indent;
  for (std::string word; words >> word;) {
    const bool first = line.size() == indent.size();
    if (!first && line.size() + 1 + word.size() > kHelpWidth) {
      lines += line + "\n";
      line = indent + word;
    } else {
      line += first ? word : " " + word;
    }
  }
  return lines + line + "\n";
}

bool is_honoured(const FlagDefinition& flag) {
  return flag.refusal.empty() && flag.notice.empty();
}

std::string entry(const FlagTable& table, const FlagDefinition& flag) {
  if (!flag.alias_of.empty()) return "  --" + flag.name + "  (same as --" + flag.alias_of + ")\n";
  std::string head = "  --" + flag.name + "  (" + describe_values(flag);
  if (flag.default_value && !flag.default_value->empty())
    head += "; default " + *flag.default_value;
  if (flag.type == FlagType::kBool && !table.contains("no" + flag.name)) {
    // A long name leaves no room for a form that the other flags show.
    const std::string negated = "; or --no" + flag.name;
    if (head.size() + negated.size() < kHelpWidth) head += negated;
  }
  return head + ")\n" + wrapped(flag.help, "      ");
}

std::string names_of(const FlagTable& table, const std::string FlagDefinition::*reason) {
  std::string names;
  for (const FlagDefinition& flag : table.flags()) {
    if (!(flag.*reason).empty()) names += (names.empty() ? "--" : " --") + flag.name;
  }
  return names;
}

}  // namespace

std::string flag_help(const FlagTable& table) {
  std::vector<std::string> groups;
  for (const FlagDefinition& flag : table.flags()) {
    if (!is_honoured(flag)) continue;
    if (std::find(groups.begin(), groups.end(), flag.group) == groups.end()) {
      groups.push_back(flag.group);
    }
  }
  std::string text;
  for (const std::string& group : groups) {
    text += group + ":\n";
    for (const FlagDefinition& flag : table.flags()) {
      if (flag.group == group && is_honoured(flag)) text += entry(table, flag);
    }
    text += "\n";
  }
  const std::string ignored = names_of(table, &FlagDefinition::notice);
  if (!ignored.empty()) text += "Accepted without effect:\n" + wrapped(ignored, "  ") + "\n";
  const std::string refused = names_of(table, &FlagDefinition::refusal);
  if (!refused.empty()) text += "Known, but only with their defaults:\n" + wrapped(refused, "  ");
  return text;
}

}  // namespace convoy
