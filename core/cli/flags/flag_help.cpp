#include <algorithm>
#include <cctype>

#include "core/base/error.hpp"
#include "core/cli/flags/flag_table.hpp"

namespace convoy::cli {
namespace {

std::string line_of(const std::string& text) {
  return "      " + text + "\n";
}

bool is_honoured(const FlagDefinition& flag) {
  return flag.refusal.empty() && flag.notice.empty();
}

// "text; default auto", "switch, on; or --noxla". A switch that is off needs no negated form.
std::string values_of(const FlagTable& table, const FlagDefinition& flag) {
  const std::string initial = flag.default_value.value_or("");
  if (flag.type != FlagType::kBool)
    return describe_values(flag) + (initial.empty() ? "" : "; default " + initial);
  if (initial == "false") return "switch";
  const bool is_negated = !table.contains("no" + flag.name);
  return std::string("switch") + (initial.empty() ? "" : ", on") +
         (is_negated ? "; or --no" + flag.name : "");
}

std::string entry(const FlagTable& table, const FlagDefinition& flag) {
  if (!flag.alias_of.empty()) return "  --" + flag.name + "  (same as --" + flag.alias_of + ")\n";
  return "  --" + flag.name + "  (" + values_of(table, flag) + ")\n" + line_of(flag.help);
}

std::string names_of(const FlagTable& table, const std::string FlagDefinition::*reason) {
  std::string names;
  for (const FlagDefinition& flag : table.flags()) {
    if (!(flag.*reason).empty()) names += (names.empty() ? "--" : " --") + flag.name;
  }
  return names;
}

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return text;
}

std::vector<std::string> groups_of(const FlagTable& table) {
  std::vector<std::string> groups;
  for (const auto* flags : {&table.flags(), &table.namesakes()})
    for (const FlagDefinition& flag : *flags)
      if (is_honoured(flag) && std::ranges::find(groups, flag.group) == groups.end())
        groups.push_back(flag.group);
  return groups;
}

std::string group_text(const FlagTable& table, const std::string& group, bool common_only) {
  std::string text;
  for (const auto* flags : {&table.flags(), &table.namesakes()})
    for (const FlagDefinition& flag : *flags)
      if (flag.group == group && is_honoured(flag) && (flag.common || !common_only))
        text += entry(table, flag);
  return text.empty() ? text : group + ":\n" + text + "\n";
}

// Returns the values that --help= takes: "model, devices, strategy replicated".
std::string topics(const FlagTable& table) {
  std::string text;
  for (const std::string& group : groups_of(table))
    text += (text.empty() ? "" : ", ") + lower_case(group);
  return text;
}

bool all_common(const FlagTable& table) {
  return std::ranges::all_of(
      table.flags(), [](const FlagDefinition& it) { return it.common || !is_honoured(it); });
}

std::string common_help(const FlagTable& table) {
  std::string text;
  for (const std::string& group : groups_of(table)) text += group_text(table, group, true);
  if (all_common(table)) return text;
  return text +
         "More: --help=all, --help=FLAG, or --help=TOPIC with a word from: " + topics(table) + "\n";
}

// Returns the help of an option that several plug-ins declare with different meanings; empty for
// other options.
std::string namesakes_text(const FlagTable& table, const FlagDefinition& flag) {
  std::string text;
  for (const FlagDefinition& other : table.namesakes())
    if (other.name == flag.name) text += "\n" + other.group + ":\n" + entry(table, other);
  return text.empty() ? text : flag.group + ":\n" + entry(table, flag) + text;
}

// Returns the help of a flag. For a flag that is not honoured, it says why.
std::string flag_text(const FlagTable& table, const std::string& name) {
  const FlagDefinition* const flag = table.find(name);
  if (flag == nullptr) return {};
  if (std::string several = namesakes_text(table, *flag); !several.empty()) return several;
  std::string text = entry(table, *flag);
  if (!flag->refusal.empty()) text += line_of("Known, but refused: " + flag->refusal);
  if (!flag->notice.empty()) text += line_of("Without effect: " + flag->notice);
  return text;
}

std::string unused_help(const FlagTable& table) {
  std::string text;
  const std::string ignored = names_of(table, &FlagDefinition::notice);
  if (!ignored.empty()) text += "Accepted without effect:\n    " + ignored + "\n\n";
  const std::string refused = names_of(table, &FlagDefinition::refusal);
  if (!refused.empty()) text += "Accepted only with their default values:\n    " + refused + "\n";
  return text;
}

}  // namespace

std::string flag_help(const FlagTable& table, const std::string& topic) {
  if (topic.empty()) return common_help(table);
  std::string text;
  for (const std::string& group : groups_of(table))
    if (topic == "all" || lower_case(group).find(lower_case(topic)) != std::string::npos)
      text += group_text(table, group, false);
  if (text.empty())
    text = flag_text(table, topic.substr(std::min(topic.find_first_not_of('-'), topic.size())));
  if (text.empty())
    fail(ExitCode::kUsage, "--help={}: no such topic; give all, a flag's name, or a word from: {}",
         topic, topics(table));
  return topic == "all" ? text + unused_help(table) : text;
}

}  // namespace convoy::cli
