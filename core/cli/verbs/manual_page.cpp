#include "core/cli/verbs/verb_help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "core/base/version.hpp"

namespace convoy::cli {
namespace {

// Escapes a line for man(7): backslashes, and beginnings that would be a request.
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

// Converts a help text to man(7), which fills paragraphs to the width of any terminal.
class ManualText {
 public:
  explicit ManualText(const std::string& help) {
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) add(line);
    leave_examples();
  }

  const std::string& text() const { return text_; }

 private:
  enum class Part { kParagraph, kFlag, kExamples };

  void add(const std::string& line) {
    const std::size_t indent = line.find_first_not_of(' ');
    if (indent == std::string::npos) return end_paragraph();
    const std::string words = line.substr(indent);
    if (indent == 2 && words.starts_with("--")) return begin_flag(words);
    if (indent == 0) return add_unindented(words);
    if (part_ == Part::kParagraph && indent == 2) {
      text_ += ".nf\n";
      part_ = Part::kExamples;
    }
    text_ += manual_line(part_ == Part::kExamples ? line : words);
  }

  void end_paragraph() {
    leave_examples();
    part_ = Part::kParagraph;
    text_ += ".PP\n";
  }

  void leave_examples() {
    if (part_ == Part::kExamples) text_ += ".fi\n";
  }

  // Accepts "--flag  (a number)" and "--flag=...   what it does".
  void begin_flag(const std::string& words) {
    leave_examples();
    part_ = Part::kFlag;
    const std::size_t end = std::min(words.find("  "), words.size());
    const std::size_t rest = std::min(words.find_first_not_of(' ', end), words.size());
    text_ += ".TP\n.B " + manual_line(words.substr(0, end));
    if (rest < words.size()) text_ += manual_line(words.substr(rest));
  }

  // Adds a heading, or a line of a sentence.
  void add_unindented(const std::string& words) {
    leave_examples();
    const bool is_heading = words.ends_with(":") && text_.ends_with(".PP\n");
    if (part_ != Part::kParagraph) text_ += ".PP\n";
    part_ = Part::kParagraph;
    text_ += (is_heading ? ".SS " : "") + manual_line(words);
  }

  Part part_ = Part::kParagraph;
  std::string text_;
};

std::string upper_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char letter) {
    return static_cast<char>(std::toupper(letter));
  });
  return text;
}

}  // namespace

std::string manual_page(const std::vector<VerbHelp>& verbs) {
  std::string page = fmt::format(
      ".TH CONVOY 1 \"\" \"convoy {}\" \"User Commands\"\n.SH NAME\nconvoy \\- trains "
      "convolutional networks on several devices and measures how fast\n.SH SYNOPSIS\n.B convoy\n"
      ".I VERB\n[arguments]\n.br\n.B convoy help\n.I VERB\n.SH VERBS\n",
      kVersion);
  for (const VerbHelp& verb : verbs)
    page += ".TP\n.B " + verb.name + "\n" + manual_line(verb.summary);
  page += ".SH EXIT STATUS\n" + manual_line(kExitCodes);
  page +=
      ".SH ENVIRONMENT\nEvery flag of a run may be set by a variable: CONVOY_BATCH_SIZE=32 is "
      "\\-\\-batch_size=32. CONVOY_PLUGIN_PATH names folders with plug\\-ins, CONVOY_CACHE_DIR "
      "where choices and measurements are kept.\n";
  for (const VerbHelp& verb : verbs)
    page += ".SH CONVOY " + upper_case(verb.name) + "\n" + ManualText(verb.help).text();
  return page;
}

}  // namespace convoy::cli
