#pragma once

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

#include "core/base/error.hpp"

namespace convoy::cli {

// A temporary folder that is deleted with its contents.
class TemporaryFolder {
 public:
  // Error kUnavailable if it cannot be created.
  explicit TemporaryFolder(const std::string& purpose) {
    const char* const variable = ::getenv("TMPDIR");
    const std::string parent = variable == nullptr ? "/tmp" : variable;
    std::string name = parent + "/" + purpose + "-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr)
      fail(ExitCode::kUnavailable,
           "cannot make a folder for temporary files in {}: {}; set TMPDIR to a folder that exists "
           "and is writable",
           parent, std::generic_category().message(errno));
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
