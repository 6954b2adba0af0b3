#include "core/report/html/write_report.hpp"

#include "core/base/error.hpp"
#include "core/base/files/input_file.hpp"
#include "core/base/files/output_file.hpp"
#include "core/base/text/json.hpp"

namespace convoy::report {

NamedRecord read_record(const std::filesystem::path& path) {
  constexpr std::size_t kMostBytes = std::size_t{512} << 20;
  const InputFile file = read_input_file(path, kMostBytes);
  if (!file.problem.empty())
    fail(ExitCode::kUsage,
         "{}: the record cannot be read: {}; a run writes one with "
         "--output_file=x.json",
         path.string(), file.problem);
  if (path.extension() == ".jsonl")
    fail(ExitCode::kUsage,
         "{}: a .jsonl file has lines for other programs and is no record; give the .json that a "
         "run writes with --output_file=x.json",
         path.string());
  try {
    return parse_record(path.filename().string(), file.bytes);
  } catch (const nlohmann::json::exception& error) {
    fail(
        ExitCode::kUsage,
        "{}: this is no JSON, so no record of convoy, or its end is missing ({}); a run writes one "
        "with --output_file=x.json",
        path.string(), json_problem(error));
  }
}

NamedRecord parse_record(const std::string& name, const std::string& text) {
  return {name, parse_ordered_json(text)};
}

void check_report_path(const std::filesystem::path& path) {
  if (path.extension() != ".html")
    fail(ExitCode::kUsage, "{}: a report is a page, so its name ends in .html", path.string());
  check_output_file(path);
}

void write_report(const std::vector<NamedRecord>& records, const std::filesystem::path& path) {
  write_output_file(path, report_html(make_report(records)));
}

}  // namespace convoy::report
