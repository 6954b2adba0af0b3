#include "core/report/html/write_report.hpp"

#include <fstream>
#include <sstream>

#include "core/base/error.hpp"
#include "core/base/json.hpp"
#include "core/base/output_file.hpp"

namespace convoy::report {

NamedRecord read_record(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path))
    fail(ExitCode::kUsage, "{}: there is no such file, or it cannot be read", path.string());
  try {
    return {path.filename().string(), parse_ordered_json(in)};
  } catch (const nlohmann::json::exception& error) {
    fail(
        ExitCode::kUsage,
        "{}: this is no JSON, so no record of convoy, or its end is missing ({}); a run writes one "
        "with --output_file=x.json",
        path.string(), error.what());
  }
}

NamedRecord parse_record(const std::string& name, const std::string& text) {
  std::istringstream in(text);
  return {name, parse_ordered_json(in)};
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
