// The commands of README, CONTRIBUTING and share/docs: their verbs and flags exist, and what
// they show of predictions, which are the same on every machine, is what the program prints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "tests/end_to_end/run_program.hpp"

namespace convoy {
namespace documented_commands_test {

namespace {

using Lines = std::vector<std::string>;

constexpr const char* kContinued = "\\";

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    while (line.ends_with(' ')) line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::filesystem::path> pages() {
  const std::filesystem::path root = CONVOY_SOURCE_DIR;
  std::vector<std::filesystem::path> found = {root / "README.md", root / "CONTRIBUTING.md"};
  for (const auto& entry : std::filesystem::directory_iterator(root / "share/docs"))
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// A command of a page, "$ convoy VERB ...", and the lines that it is said to print.
struct Shown {
  std::string command;  // behind "convoy"
  Lines output;
};

constexpr const char* kIndent = "    ";
constexpr const char* kPrompt = "    $ convoy ";

std::vector<Shown> shown_in(const std::string& page) {
  std::vector<Shown> found;
  const Lines lines = lines_of(page);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].starts_with(kPrompt)) continue;
    Shown shown{lines[i].substr(std::string(kPrompt).size()), {}};
    while (shown.command.ends_with(kContinued) && i + 1 < lines.size()) {
      shown.command.pop_back();
      shown.command += lines[++i];
    }
    shown.command = shown.command.substr(0, shown.command.find(" #"));
    while (i + 1 < lines.size() && lines[i + 1].starts_with(kIndent) &&
           !lines[i + 1].starts_with("    $"))
      shown.output.push_back(lines[++i].substr(std::string(kIndent).size()));
    found.push_back(std::move(shown));
  }
  return found;
}

// Flags as they stand in a text: "--batch_size" of "--batch_size=32", but not "--", "---".
std::vector<std::string> flags_in(const std::string& text) {
  std::vector<std::string> flags;
  const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (std::size_t at = text.find("--"); at != std::string::npos; at = text.find("--", at + 2)) {
    const bool inside = at > 0 && (part(text[at - 1]) || text[at - 1] == '-');
    std::size_t end = at + 2;
    while (end < text.size() && part(text[end])) ++end;
    // Words with dashes inside are other programs' flags.
    if (!inside && end > at + 2 && (end == text.size() || text[end] != '-'))
      flags.push_back(text.substr(at, end - at));
  }
  return flags;
}

const Lines& verbs() {
  static const Lines kAll = [] {
    Lines names;
    for (const std::string& line : lines_of(run_convoy({"--help"}).out))
      if (line.starts_with("  ") && line.size() > 2 && line[2] != ' ')
        names.push_back(words_of(line).front());
    return names;
  }();
  return kAll;
}

// All that a verb takes; of switches also how they are turned off.
const std::set<std::string>& flags_of(const std::string& verb) {
  static std::map<std::string, std::set<std::string>> known;
  const auto [it, is_new] = known.try_emplace(verb);
  if (!is_new) return it->second;
  ProgramResult help = run_convoy({verb, "--help=all"});
  if (help.exit_code != 0) help = run_convoy({verb, "--help"});
  EXPECT_EQ(help.exit_code, 0) << verb;
  std::set<std::string>& flags = it->second;
  for (const std::string& flag : flags_in(help.out)) {
    flags.insert(flag);
    flags.insert("--no" + flag.substr(2));
  }
  if (verb == "compare")  // which hands on what it does not take itself
    for (const char* other : {"run", "simulate"})
      flags.insert(flags_of(other).begin(), flags_of(other).end());
  return flags;
}

bool is_verb(const std::string& word) {
  return std::ranges::find(verbs(), word) != verbs().end();
}

// The verb whose flags a command's are: launch passes on what stands behind its "--".
void expect_known_flags(const std::string& command, const std::string& page) {
  const std::vector<std::string> words = words_of(command);
  const std::size_t passed = words.front() == "launch" ? command.find(" -- ") : std::string::npos;
  if (passed != std::string::npos) {
    const std::vector<std::string> behind = words_of(command.substr(passed + 4));
    const bool has_verb = !behind.empty() && is_verb(behind.front());
    expect_known_flags((has_verb ? "" : "run ") + command.substr(passed + 4), page);
  }
  for (const std::string& flag : flags_in(command.substr(0, passed)))
    EXPECT_TRUE(flags_of(words.front()).contains(flag))
        << page << ": convoy " << command << "\nhas no " << flag;
}

// "convoy VERB ..." on lines of their own and in backticks.
Lines commands_in(std::string page) {
  for (std::size_t at = page.find("\\\n"); at != std::string::npos; at = page.find("\\\n"))
    page.replace(at, 2, " ");
  Lines commands;
  for (const std::string& line : lines_of(page))
    for (const char* start : {"    convoy ", kPrompt})
      if (line.starts_with(start)) {
        const std::string command = line.substr(std::string(start).size());
        commands.push_back(command.substr(0, command.find("  ")));
      }
  for (std::size_t at = page.find("`convoy "); at != std::string::npos;
       at = page.find("`convoy ", at + 1)) {
    const std::string command = page.substr(at + 8, page.find('`', at + 1) - at - 8);
    if (is_verb(words_of(command + " -").front())) commands.push_back(command);
  }
  return commands;
}

TEST(DocumentedCommands, HaveVerbsAndFlagsThatTheProgramKnows) {
  std::size_t count = 0;
  for (const std::filesystem::path& page : pages())
    for (const std::string& command : commands_in(text_of(page))) {
      const std::string verb = words_of(command).front();
      if (verb == "help" || verb.starts_with("-")) continue;
      EXPECT_TRUE(is_verb(verb)) << page << ": convoy " << command;
      if (is_verb(verb)) expect_known_flags(command, page.filename());
      ++count;
    }
  EXPECT_GT(count, 60u);
}

// A flag in backticks is one of some verb, or of another program.
TEST(DocumentedCommands, FlagsThatTextsNameAreThere) {
  const std::set<std::string> others = {"--install", "--gtest_filter", "--preset", "--all",
                                        "--prefix",  "--component",    "--build"};
  std::set<std::string> known = others;
  for (const std::string& verb : verbs())
    known.insert(flags_of(verb).begin(), flags_of(verb).end());
  for (const std::filesystem::path& page : pages()) {
    const std::string text = text_of(page);
    for (std::size_t at = text.find("`--"); at != std::string::npos; at = text.find("`--", at + 1))
      for (const std::string& flag : flags_in(text.substr(at + 1, text.find('`', at + 1) - at - 1)))
        EXPECT_TRUE(known.contains(flag)) << page << " names " << flag;
  }
}

// Targets of "[text](target)" that are files.
std::vector<std::string> links_in(const std::string& text) {
  std::vector<std::string> targets;
  for (std::size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 1)) {
    const std::string target = text.substr(at + 2, text.find(')', at) - at - 2);
    if (target.find("://") == std::string::npos) targets.push_back(target);
  }
  return targets;
}

TEST(DocumentedCommands, ReadmeLeadsToEveryPageAndLinksAreFiles) {
  std::set<std::filesystem::path> linked;
  for (const std::filesystem::path& page : pages())
    for (const std::string& link : links_in(text_of(page))) {
      const std::filesystem::path target = page.parent_path() / link;
      EXPECT_TRUE(std::filesystem::exists(target)) << page << " links to " << link;
      if (page.filename() == "README.md") linked.insert(target);
    }
  for (const std::filesystem::path& page : pages()) {
    if (page.parent_path().filename() != "docs") continue;
    EXPECT_TRUE(linked.contains(page)) << "README.md has no link to " << page;
  }
}

// Whether what it prints is the same on every machine.
bool is_prediction(const Shown& shown) {
  return shown.command.find("--platform=") != std::string::npos && !shown.output.empty() &&
         shown.command.find("...") == std::string::npos;
}

// Every line that is shown is printed, in their order; "..." stands for any lines.
void expect_printed(const Shown& shown) {
  const ProgramResult result = run_convoy(words_of(shown.command));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Lines printed = lines_of(result.out);
  auto from = printed.begin();
  for (const std::string& line : shown.output) {
    if (words_of(line) == Lines{"..."}) continue;
    const auto found = std::find(from, printed.end(), line);
    ASSERT_NE(found, printed.end()) << "convoy " << shown.command << "\ndoes not print\n"
                                    << line << "\nbut\n"
                                    << result.out;
    from = found + 1;
  }
}

TEST(DocumentedCommands, PredictionsThatPagesShowAreWhatIsPrinted) {
  std::size_t count = 0;
  for (const std::filesystem::path& page : pages())
    for (const Shown& shown : shown_in(text_of(page)))
      if (is_prediction(shown)) {
        expect_printed(shown);
        ++count;
      }
  EXPECT_EQ(count, 3u);
}

}  // namespace
}  // namespace documented_commands_test
}  // namespace convoy
