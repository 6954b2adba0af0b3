#include "core/cli/verbs/verb_help.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>

#include "core/cli/flags/command.hpp"

namespace convoy::cli {
namespace {

// Returns the flags that a help text explains: words with two dashes at the beginning of a line
// that is indented by two blanks. Flags that it only lists are indented further.
std::vector<std::string> flags_in(const std::string& help) {
  std::vector<std::string> flags;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  --")) continue;
    std::istringstream words(line);
    std::string word;
    words >> word;
    flags.push_back(word.substr(0, word.find('=')));
  }
  return flags;
}

// A flag of a verb that takes a list, and the flag of run that takes the same values.
struct ListFlag {
  const char* verb;
  const char* flag;
  const char* of_run;
};

constexpr ListFlag kListFlags[] = {{"compare", "models", "model"},
                                   {"compare", "strategies", "variable_update"},
                                   {"simulate", "model", "model"},
                                   {"simulate", "platform", "platform"},
                                   {"simulate", "variable_update", "variable_update"}};

const ListFlag* find_list_flag(const std::string& verb, const std::string& flag) {
  const auto* const found = std::ranges::find_if(
      kListFlags, [&](const ListFlag& it) { return verb == it.verb && flag == it.flag; });
  return found == std::end(kListFlags) ? nullptr : found;
}

// Completes "--model=lenet,", "--model=lenet,alexnet" and so on, if the verb takes a list there.
std::vector<std::string> values_after(const std::string& verb, std::span<const std::string> words,
                                      const std::string& word) {
  const std::size_t equals = word.find('=');
  const std::size_t first = word.find_first_not_of('-');
  const std::string flag = word.substr(first, equals - first);
  const ListFlag* const list = find_list_flag(verb, flag);
  const std::size_t comma = list == nullptr ? std::string::npos : word.rfind(',');
  const std::string before = word.substr(0, (comma == std::string::npos ? equals : comma) + 1);
  std::vector<std::string> found;
  for (const std::string& value : flag_values(words, list == nullptr ? flag : list->of_run))
    if (("," + before.substr(equals + 1)).find("," + value + ",") == std::string::npos)
      found.push_back(before + value);
  return found;
}

// Returns the values of the flag in the last of these words, whose value is the next word.
std::vector<std::string> values_behind(std::span<const std::string> words) {
  if (words.empty()) return {};
  const std::string& flag = words.back();
  if (!flag.starts_with("--") || flag.find('=') != std::string::npos) return {};
  const std::vector<std::string> values =
      flag_values(words.first(words.size() - 1), flag.substr(2));
  const bool is_switch = values == std::vector<std::string>{"true", "false"};
  return is_switch ? std::vector<std::string>() : values;
}

// Returns candidates for the first word after a verb, if they can be listed.
std::vector<std::string> subjects_of(const std::string& verb, std::span<const std::string> words) {
  using enum plugin::PluginKind;
  if (verb == "info") return plugin_names(words, {{kStrategy, kModel, kDevice, kTransport}});
  if (verb == "check") return plugin_names(words, {{kStrategy, kDevice, kTransport}});
  if (verb == "list") return {"strategy", "model", "device", "transport", "platforms"};
  if (verb == "new") return {"strategy", "model", "device", "transport"};
  return {};
}

std::vector<std::string> words_after(const std::string& verb, std::span<const std::string> words) {
  std::vector<std::string> found = values_behind(words);
  const bool first =
      std::ranges::all_of(words, [](const std::string& it) { return it.starts_with("-"); });
  return found.empty() && first ? subjects_of(verb, words) : found;
}

}  // namespace

std::vector<std::string> completions(std::span<const std::string> words,
                                     const std::vector<std::string>& verbs, HelpOf help_of) {
  if (words.empty()) return {};
  const std::string& begun = words.back();
  std::vector<std::string> found;
  const bool names_verb = words.size() == 1 || (words.size() == 2 && words.front() == "help");
  const bool known = std::ranges::find(verbs, words.front()) != verbs.end();
  if (names_verb) {
    found = verbs;
    if (words.size() == 1) found.emplace_back("help");
  } else if (known && begun.starts_with("-")) {
    const auto others = words.subspan(1, words.size() - 2);
    found = begun.find('=') == std::string::npos ? flags_in(help_of(words.front(), others).help)
                                                 : values_after(words.front(), others, begun);
  } else if (known) {
    found = words_after(words.front(), words.subspan(1, words.size() - 2));
  }
  std::erase_if(found, [&](const std::string& it) { return !it.starts_with(begun); });
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace convoy::cli
