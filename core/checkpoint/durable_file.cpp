#include "core/checkpoint/durable_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "core/base/error.hpp"
#include "core/base/system/system_refusal.hpp"

namespace convoy::checkpoint {
namespace {

constexpr std::string_view kTemporary = ".saving-";

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

}  // namespace

DurableFile::DurableFile(const std::filesystem::path& path)
    : path_(path),
      // The process id separates two runs that write to one folder.
      temporary_(path.string() + std::string(kTemporary) + std::to_string(::getpid())),
      descriptor_(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) fail_to("create a file in its folder");
}

DurableFile::~DurableFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(temporary_.c_str());
}

void DurableFile::fail_to(const char* what) const {
  const int reason = errno;
  fail(ExitCode::kFailed, "cannot write {}: cannot {}: {}", path_.string(), what,
       why_not_written(std::strerror(reason)));
}

void DurableFile::write(std::span<const std::byte> bytes) {
  synced_ = false;
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_to("write all of it");
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void DurableFile::sync() {
  if (::fsync(descriptor_) != 0) fail_to("write it through to the disk");
  synced_ = true;
}

void DurableFile::commit() {
  if (!synced_) sync();
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail_to("give it its name");
  ::close(descriptor_);
  descriptor_ = -1;
  const int folder = ::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) fail_to("open its folder");
  // Some file systems do not need it and refuse.
  const bool synced = ::fsync(folder) == 0 || errno == EINVAL;
  if (!synced) {
    const int reason = errno;
    ::close(folder);
    errno = reason;
    fail_to("write its folder through to the disk");
  }
  ::close(folder);
}

bool DurableFile::is_temporary(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  const std::size_t at = name.rfind(kTemporary);
  if (at == std::string::npos || at + kTemporary.size() == name.size()) return false;
  return name.find_first_not_of("0123456789", at + kTemporary.size()) == std::string::npos;
}

}  // namespace convoy::checkpoint
