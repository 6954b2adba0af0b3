#include "core/cli/verbs/verbs.hpp"

#include <ostream>
#include <vector>

#include "core/base/error.hpp"
#include "core/cli/flags/bind.hpp"
#include "core/cli/flags/verb_arguments.hpp"
#include "core/report/html/write_report.hpp"

namespace convoy::cli {
namespace {

constexpr VerbUsage kReportUsage = {
    "report RECORD.json [RECORD.json ...] [-o report.html]",
    "Makes one offline HTML page from records: verdict, scaling, step times, a step's timeline, "
    "the parts of a step's time, links, tasks, loss, memory and environment, as far as the records "
    "have them. run, simulate, compare and qualify write a record with --output_file=x.json. With "
    "--report=x.html they also make a page."};

// Replaces -o, which compilers have as well, by --output.
std::vector<std::string> with_long_names(std::span<const std::string> arguments) {
  std::vector<std::string> words(arguments.begin(), arguments.end());
  for (std::string& word : words)
    if (word == "-o") word = "--output";
  return words;
}

}  // namespace

int run_report_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err) {
  std::string page = "report.html";
  const auto files = read_verb_arguments(
      with_long_names(arguments), kReportUsage,
      {bind_flag("output", page, "The page to write, *.html; -o FILE is the same.")}, out);
  if (!files) return static_cast<int>(ExitCode::kOk);
  if (files->empty())
    fail(ExitCode::kUsage,
         "report needs the record of a run: convoy run --output_file=run.json, then convoy report "
         "run.json");
  report::check_report_path(page);
  std::vector<report::NamedRecord> records;
  for (const std::string& file : *files) records.push_back(report::read_record(file));
  report::write_report(records, page);
  err << "wrote " << page << '\n';
  return static_cast<int>(ExitCode::kOk);
}

}  // namespace convoy::cli
