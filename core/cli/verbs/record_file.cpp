#include "core/cli/verbs/record_file.hpp"

#include "core/base/error.hpp"
#include "core/base/output_file.hpp"

namespace convoy::cli {

void check_record_file(const std::string& path, const char* verb) {
  if (path.empty()) return;
  if (!path.ends_with(".json"))
    fail(ExitCode::kUsage, "--output_file={}: the record of {} is JSON, so its name ends in .json",
         path, verb);
  check_output_file(path);
}

}  // namespace convoy::cli
