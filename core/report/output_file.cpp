#include "core/report/output_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>

#include "core/base/error.hpp"

namespace convoy {
namespace {

std::filesystem::path temporary_beside(const std::filesystem::path& path) {
  std::filesystem::path temporary = path;
  temporary += fmt::format(".{}.partial", getpid());
  return temporary;
}

[[noreturn]] void refuse(const std::filesystem::path& path, int reason) {
  fail(ExitCode::kUnavailable,
       "cannot write {}: {}; check that the folder exists and that you may write there",
       path.string(), reason != 0 ? std::strerror(reason) : "unknown reason");
}

void write_temporary(const std::filesystem::path& path, const std::filesystem::path& temporary,
                     std::string_view content) {
  errno = 0;
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.close();
  if (out.fail()) {
    const int reason = errno;
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    refuse(path, reason);
  }
}

}  // namespace

void write_whole_file(const std::filesystem::path& path, std::string_view content) {
  const auto temporary = temporary_beside(path);
  write_temporary(path, temporary, content);
  std::error_code error;
  std::filesystem::rename(temporary, path, error);
  if (error) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    refuse(path, error.value());
  }
}

void check_writable(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) refuse(path, EISDIR);
  const auto temporary = temporary_beside(path);
  write_temporary(path, temporary, "");
  std::filesystem::remove(temporary);
}

}  // namespace convoy
