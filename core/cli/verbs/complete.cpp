#include "core/cli/verbs/complete.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "core/base/version.hpp"
#include "core/cli/flags/command.hpp"

namespace convoy {
namespace {

// The flags that a help text explains: words with two dashes at the beginning of a line.
std::vector<std::string> flags_in(const std::string& help) {
  std::vector<std::string> flags;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (!word.starts_with("--")) continue;
    flags.push_back(word.substr(0, word.find('=')));
  }
  return flags;
}

std::vector<std::string> values_after(std::span<const std::string> words, const std::string& word) {
  const std::size_t equals = word.find('=');
  const std::string flag = word.substr(0, equals + 1);
  const std::size_t name = flag.find_first_not_of('-');
  std::vector<std::string> found;
  for (const std::string& value : flag_values(words, flag.substr(name, equals - name)))
    found.push_back(flag + value);
  return found;
}

// The values of the flag that the last of these words is, whose value stands in the next one.
std::vector<std::string> values_behind(std::span<const std::string> words) {
  if (words.empty()) return {};
  const std::string& flag = words.back();
  if (!flag.starts_with("--") || flag.find('=') != std::string::npos) return {};
  const std::vector<std::string> values =
      flag_values(words.first(words.size() - 1), flag.substr(2));
  const bool is_switch = values == std::vector<std::string>{"true", "false"};
  return is_switch ? std::vector<std::string>() : values;
}

// Candidates for the first word after a verb, if they can be listed.
std::vector<std::string> subjects_of(const std::string& verb, std::span<const std::string> words) {
  using enum PluginKind;
  if (verb == "info") return plugin_names(words, {{kStrategy, kModel, kDevice, kTransport}});
  if (verb == "check") return plugin_names(words, {{kStrategy, kDevice, kTransport}});
  if (verb == "list" || verb == "new") return {"strategy", "model", "device", "transport"};
  return {};
}

std::vector<std::string> words_after(const std::string& verb, std::span<const std::string> words) {
  std::vector<std::string> found = values_behind(words);
  const bool first =
      std::ranges::all_of(words, [](const std::string& it) { return it.starts_with("-"); });
  return found.empty() && first ? subjects_of(verb, words) : found;
}

// A line as man(7) takes it: backslashes and what would be a request are escaped.
std::string manual_line(const std::string& line) {
  std::string text;
  if (line.starts_with(".") || line.starts_with("'")) text += "\\&";
  for (const char c : line) {
    if (c == '\\')
      text += "\\e";
    else if (c == '-')
      text += "\\-";
    else
      text += c;
  }
  return text + "\n";
}

std::string manual_text(const std::string& text) {
  std::string result = ".nf\n";
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) result += manual_line(line);
  return result + ".fi\n";
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
                                                 : values_after(others, begun);
  } else if (known) {
    found = words_after(words.front(), words.subspan(1, words.size() - 2));
  }
  std::erase_if(found, [&](const std::string& it) { return !it.starts_with(begun); });
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::string manual_page(const std::vector<VerbHelp>& verbs) {
  std::string page = fmt::format(
      ".TH CONVOY 1 \"\" \"convoy {}\" \"User Commands\"\n.SH NAME\nconvoy \\- trains "
      "convolutional "
      "networks on several devices and measures how fast\n.SH SYNOPSIS\n.B convoy\n.I VERB\n"
      "[arguments]\n.br\n.B convoy help\n.I VERB\n.SH VERBS\n",
      kVersion);
  for (const VerbHelp& verb : verbs)
    page += ".TP\n.B " + verb.name + "\n" + manual_line(verb.summary);
  page +=
      ".SH EXIT STATUS\n0 ok, 1 failed, 2 usage, 3 environment, device or plug\\-in unavailable, 4 "
      "threshold missed, 5 numerical failure, 6 timeout or peer lost, 130 and 143 interrupted "
      "after "
      "a partial summary.\n"
      ".SH ENVIRONMENT\nEvery flag of a run may be set by a variable: CONVOY_BATCH_SIZE=32 is "
      "\\-\\-batch_size=32. CONVOY_PLUGIN_PATH names folders with plug\\-ins, CONVOY_CACHE_DIR "
      "where choices and measurements are kept.\n";
  for (const VerbHelp& verb : verbs) {
    std::string title = verb.name;
    std::ranges::transform(title, title.begin(), [](unsigned char letter) {
      return static_cast<char>(std::toupper(letter));
    });
    page += ".SH CONVOY " + title + "\n" + manual_text(verb.help);
  }
  return page;
}

}  // namespace convoy
