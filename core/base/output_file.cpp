#include "core/base/output_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "core/base/error.hpp"

namespace convoy {
namespace {

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

[[noreturn]] void fail_to_write(const std::filesystem::path& path, const std::string& reason) {
  fail(ExitCode::kFailed,
       "cannot write {}: {}; check that the folder exists, is writable and has space left",
       path.string(), reason);
}

}  // namespace

void write_output_file(const std::filesystem::path& path, std::string_view content) {
  // The process id keeps two runs that write the same file apart.
  const std::filesystem::path temporary = path.string() + ".partial-" + std::to_string(getpid());
  errno = 0;
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  std::error_code error;
  if (!file) {
    const std::string reason = std::strerror(errno);
    std::filesystem::remove(temporary, error);
    fail_to_write(path, reason);
  }
  std::filesystem::rename(temporary, path, error);
  if (error) {
    const std::string reason = error.message();
    std::filesystem::remove(temporary, error);
    fail_to_write(path, reason);
  }
}

void check_output_file(const std::filesystem::path& path) {
  const std::filesystem::path folder = folder_of(path);
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) {
    fail(ExitCode::kUsage, "cannot write {}: {} is not a folder; create it first", path.string(),
         folder.string());
  }
  if (std::filesystem::is_directory(path, error)) {
    fail(ExitCode::kUsage, "cannot write {}: it is a folder; give a file in it", path.string());
  }
  if (access(folder.c_str(), W_OK) != 0) {
    fail(ExitCode::kUsage, "cannot write {}: no permission to create files in {}", path.string(),
         folder.string());
  }
}

}  // namespace convoy
