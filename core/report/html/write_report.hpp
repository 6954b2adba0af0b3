#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/report/html/report.hpp"

namespace convoy::report {

// Reads the record in a file. Error(kUsage) naming the file if it does not exist or is not JSON.
NamedRecord read_record(const std::filesystem::path& path);
// Parses the record in a text that convoy wrote.
NamedRecord parse_record(const std::string& name, const std::string& text);

// Error(kUsage) unless the path ends in .html and its folder is writable. To be called before long
// work.
void check_report_path(const std::filesystem::path& path);
// Writes the page about these records. Error as make_report and write_output_file.
void write_report(const std::vector<NamedRecord>& records, const std::filesystem::path& path);

}  // namespace convoy::report
