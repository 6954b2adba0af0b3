// Command lines and what they print, as recorded in *.transcript.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/base/version.hpp"
#include "tests/end_to_end/run_program.hpp"
#include "tests/fingerprints/recorded.hpp"

namespace convoy::testing {
namespace {

constexpr std::string_view kPrompt = "$ convoy ";

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += by.size())
    text.replace(at, part.size(), by);
  return text;
}

std::string portable(std::string text) {
  text = replaced(std::move(text), CONVOY_BINARY_DIR, "$BUILD");
  text = replaced(std::move(text), CONVOY_SOURCE_DIR, "$SOURCE");
  for (const std::string before : {"convoy:      ", "\"convoy_version\": \""})
    text = replaced(std::move(text), std::string(before).append(kVersion),
                    std::string(before).append("$VERSION"));
  return text;
}

// Without the folders that were looked at for plug-ins, one of which is where they are installed.
void add_lines(std::vector<std::string>& lines, const std::string& text, const char* mark) {
  std::istringstream in(portable(text));
  for (std::string line; std::getline(in, line);)
    if (line.find("  looked at ") == std::string::npos) lines.push_back(mark + line);
}

// The command of a line that begins with the prompt, and what it says.
void run_line(const std::string& line, std::vector<std::string>& lines) {
  lines.push_back(line);
  std::istringstream words(replaced(line.substr(kPrompt.size()), "$SOURCE", CONVOY_SOURCE_DIR));
  std::vector<std::string> arguments;
  for (std::string word; words >> word;) arguments.push_back(word);
  const ProgramResult result = run_convoy(arguments);
  add_lines(lines, result.out, "  ");
  add_lines(lines, result.err, "! ");
  if (result.exit_code != 0) lines.push_back("= " + std::to_string(result.exit_code));
}

class Transcript : public ::testing::TestWithParam<std::string> {};

TEST_P(Transcript, IsAsRecorded) {
  std::ifstream in(data_file(GetParam()));
  std::vector<std::string> commands;
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(kPrompt)) commands.push_back(line);
  ASSERT_FALSE(commands.empty());
  std::vector<std::string> lines;
  for (const std::string& command : commands) run_line(command, lines);
  expect_recorded(GetParam(), lines);
}

std::vector<std::string> transcripts() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(data_file("")))
    if (entry.path().extension() == ".transcript") names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Fingerprints, Transcript, ::testing::ValuesIn(transcripts()),
                         [](const auto& it) { return it.param.substr(0, it.param.find('.')); });

}  // namespace
}  // namespace convoy::testing
