#include "core/base/system/system_root.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

#include "core/base/files/folder_entries.hpp"
#include "core/base/text/system_text.hpp"

namespace convoy {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostText = std::size_t{1} << 20;

bool is_regular(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

// Files of /proc and /sys report size 0, so this reads until there is no more.
std::optional<std::string> read_text(int descriptor) {
  std::string text;
  char block[4096];
  while (text.size() < kMostText) {
    const ssize_t count = ::read(descriptor, block, sizeof(block));
    if (count == 0) break;
    if (count > 0)
      text.append(block, static_cast<std::size_t>(count));
    else if (errno != EINTR)
      return std::nullopt;
  }
  return text;
}

}  // namespace

bool SystemRoot::exists(const std::string& path) const {
  std::error_code error;
  return fs::exists(root_ / path, error);
}

std::optional<std::string> SystemRoot::text(const std::string& path) const {
  const std::string file = root_.native() + "/" + path;  // much faster than joining paths
  // O_NONBLOCK: opening a pipe does not wait for the other end.
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return std::nullopt;
  std::optional<std::string> text = is_regular(descriptor) ? read_text(descriptor) : std::nullopt;
  ::close(descriptor);
  if (text) text->resize(text->find_last_not_of("\n \t") + 1);
  return text;
}

std::optional<std::int64_t> SystemRoot::number(const std::string& path) const {
  const std::optional<std::string> found = text(path);
  if (!found) return std::nullopt;
  std::int64_t value = 0;
  const char* const end = found->data() + found->size();
  const auto [stop, error] = std::from_chars(found->data(), end, value);
  if (error != std::errc() || (stop != end && *stop != ' ')) return std::nullopt;
  return value;
}

// The line looks like "MemTotal:  16266172 kB".
std::optional<std::uint64_t> SystemRoot::memory_field(std::string_view name) const {
  const auto value = value_of(text("proc/meminfo").value_or(""), name, ':');
  const auto kibibytes = leading_number(value.value_or(""));
  if (!kibibytes) return std::nullopt;
  return *kibibytes * 1024;
}

std::vector<std::string> SystemRoot::names(const std::string& path) const {
  std::vector<std::string> result;
  std::error_code error;
  for (const fs::path& entry : folder_entries(root_ / path, error))
    result.push_back(entry.filename().string());
  return result;
}

std::optional<std::string> SystemRoot::link_name(const std::string& path) const {
  std::error_code error;
  const fs::path target = fs::read_symlink(root_ / path, error);
  if (error) return std::nullopt;
  return target.filename().string();
}

}  // namespace convoy
