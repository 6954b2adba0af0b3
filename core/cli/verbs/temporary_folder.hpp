#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "core/base/error.hpp"

namespace convoy::cli {

// A folder that goes away with what is in it.
class TemporaryFolder {
 public:
  // Error kFailed when it cannot be made.
  explicit TemporaryFolder(const std::string& purpose) {
    std::string name = (std::filesystem::temp_directory_path() / (purpose + "-XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr)
      fail(ExitCode::kFailed, "no temporary folder {} can be made", name);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace convoy::cli
