#pragma once

#include <string>

namespace convoy::cli {

// Of a verb whose record is JSON alone: what --output_file gives, where something is given. Before
// the work, not after it. Error(kUsage) unless the name ends in .json and can be written.
void check_record_file(const std::string& path, const char* verb);

}  // namespace convoy::cli
