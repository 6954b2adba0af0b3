#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/report/html/report.hpp"

namespace convoy::report {

// The record in a file. Error(kUsage) naming the file when there is none, or no JSON in it.
NamedRecord read_record(const std::filesystem::path& path);
// The record in a text that convoy wrote.
NamedRecord parse_record(const std::string& name, const std::string& text);

// Error(kUsage) unless the path ends in .html and its folder is writable: before long work.
void check_report_path(const std::filesystem::path& path);
// The page about these records. Error like make_report and write_output_file.
void write_report(const std::vector<NamedRecord>& records, const std::filesystem::path& path);

}  // namespace convoy::report
