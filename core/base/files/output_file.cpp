#include "core/base/files/output_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <system_error>

#include "core/base/error.hpp"
#include "core/base/system/system_refusal.hpp"

namespace convoy {
namespace {

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

[[noreturn]] void fail_to_write(const std::filesystem::path& path, const std::string& reason) {
  fail(ExitCode::kFailed, "cannot write {}: {}", path.string(), why_not_written(reason));
}

// Returns whether the path is a link in a cycle of links.
bool is_circle(const std::filesystem::path& path) {
  std::error_code error;
  return !std::filesystem::exists(path, error) && error == std::errc::too_many_symbolic_link_levels;
}

// Returns whether the path is a pipe, a terminal or a device such as /dev/null. Replacing it by a
// file would take it from everybody else.
bool is_special(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_other(path, error);
}

bool write_all(int descriptor, std::string_view content, std::chrono::milliseconds patience) {
  while (!content.empty()) {
    const ssize_t count = ::write(descriptor, content.data(), content.size());
    if (count >= 0) {
      content.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      pollfd ready{descriptor, POLLOUT, 0};
      const int found = ::poll(&ready, 1, static_cast<int>(patience.count()));
      if (found == 0) {
        errno = ENXIO;
        return false;
      }
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

void write_special(const std::filesystem::path& path, std::string_view content,
                   std::chrono::milliseconds patience) {
  // O_NONBLOCK: opening a pipe does not wait for a reader.
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  const bool written = descriptor >= 0 && write_all(descriptor, content, patience);
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (written) return;
  if (error == ENXIO)
    fail(
        ExitCode::kFailed,
        "cannot write {}: it is a pipe and nobody reads it; start its reader first, or give a file",
        path.string());
  fail_to_write(path, std::strerror(error));
}

// Returns where the content is to be written: the target of links, as far as they lead somewhere.
std::filesystem::path behind_links(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  const std::filesystem::path target = std::filesystem::canonical(path, error);
  return error ? path : target;
}

// The process id separates two runs that write the same file.
std::filesystem::path temporary_for(const std::filesystem::path& path) {
  return path.string() + ".partial-" + std::to_string(getpid());
}

}  // namespace

void write_output_file(const std::filesystem::path& named, std::string_view content,
                       std::chrono::milliseconds patience) {
  if (is_special(named)) return write_special(named, content, patience);
  if (is_circle(named)) fail_to_write(named, std::strerror(ELOOP));
  const std::filesystem::path path = behind_links(named);
  const std::filesystem::path temporary = temporary_for(path);
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

void check_working_folder(const std::filesystem::path& path) {
  struct stat opened {};  // the working folder is open even if no path leads to it any more
  if (path.is_relative() && stat(".", &opened) == 0 && opened.st_nlink == 0)
    fail(ExitCode::kUsage,
         "cannot write {}: the working folder has been deleted; change to one that exists",
         path.string());
}

void check_output_file(const std::filesystem::path& path) {
  check_working_folder(path);
  const std::filesystem::path folder = folder_of(path);
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) {
    if (error == std::errc::permission_denied)
      fail(ExitCode::kUsage, "cannot write {}: no permission to look into {}", path.string(),
           folder.string());
    fail(ExitCode::kUsage, "cannot write {}: {} is not a folder; create it first", path.string(),
         folder.string());
  }
  if (std::filesystem::is_directory(path, error)) {
    fail(ExitCode::kUsage, "cannot write {}: it is a folder; give a file in it", path.string());
  }
  if (std::filesystem::is_socket(path, error))
    fail(ExitCode::kUsage, "cannot write {}: it is a socket; give a file, a pipe or a device",
         path.string());
  if (is_circle(path))
    fail(ExitCode::kUsage, "cannot write {}: it is a link that leads back to itself; give a file",
         path.string());
  if (is_special(path)) {  // not opened yet, because the reader of a pipe would see its end
    if (access(path.c_str(), W_OK) != 0)
      fail(ExitCode::kUsage, "cannot write {}: {}", path.string(), std::strerror(errno));
    return;
  }
  if (access(folder.c_str(), W_OK) != 0) {
    if (errno != EACCES)
      fail(ExitCode::kUsage, "cannot write {}: {}", path.string(), std::strerror(errno));
    fail(ExitCode::kUsage, "cannot write {}: no permission to create files in {}", path.string(),
         folder.string());
  }
  struct stat ignored {};
  if (lstat(temporary_for(path).c_str(), &ignored) != 0 && errno != ENOENT)
    fail(ExitCode::kUsage, "cannot write {}: {}", path.string(), std::strerror(errno));
}

void require_different_files(std::span<const FileOfFlag> files) {
  std::map<std::filesystem::path, const FileOfFlag*> seen;
  for (const FileOfFlag& it : files) {
    if (it.file.empty()) continue;
    std::error_code error;
    std::filesystem::path place = std::filesystem::absolute(it.file, error);
    if (error) place = it.file;  // the working folder is gone; whoever opens the file says so
    place = std::filesystem::weakly_canonical(place, error);
    const auto [known, is_first] = seen.try_emplace(place, &it);
    const FileOfFlag& other = *known->second;
    if (is_first || (it.is_read && other.is_read)) continue;
    fail(ExitCode::kUsage, "--{}={} and --{}={}: {}; give each a name of its own", other.flag,
         other.file, it.flag, it.file,
         it.is_read || other.is_read ? "one reads the file that the other would replace"
                                     : "both are written to one file");
  }
}

}  // namespace convoy
