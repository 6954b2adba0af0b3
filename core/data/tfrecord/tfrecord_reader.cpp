#include "core/data/tfrecord/tfrecord_reader.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>

#include "core/base/system/system_refusal.hpp"
#include "core/data/pipeline/bad_record.hpp"
#include "core/data/tfrecord/crc32c.hpp"

namespace convoy::data {
namespace {

static_assert(std::endian::native == std::endian::little,
              "framing integers are copied as they are");

template <typename Integer>
Integer load(const char* bytes) {
  Integer value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

[[noreturn]] void fail_file(const char* action, const std::filesystem::path& path,
                            const char* reason) {
  fail(ExitCode::kUnavailable, "cannot {} {}: {}", action, path.string(),
       advised(reason).value_or(std::string(reason) +
                                "; check that it is a file this user may read"));
}

// Returns why a file with this status cannot hold records; null if it can.
const char* unfit(const struct stat& status) {
  if (S_ISDIR(status.st_mode)) return std::strerror(EISDIR);
  return S_ISREG(status.st_mode) ? nullptr : "it is a pipe, a device or a socket";
}

}  // namespace

std::string describe_record(const std::filesystem::path& path, std::uint64_t offset) {
  return fmt::format("{}, byte {}", path.string(), offset);
}

TfRecordReader::TfRecordReader(const std::filesystem::path& path) : path_(path) {
  // O_NONBLOCK: opening a named pipe does not wait for a writer.
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) fail_file("open", path, std::strerror(errno));
  struct stat status = {};
  const char* const problem =
      ::fstat(descriptor_, &status) != 0 ? std::strerror(errno) : unfit(status);
  if (problem != nullptr) {
    ::close(descriptor_);
    fail_file("read", path, problem);
  }
  file_bytes_ = static_cast<std::uint64_t>(status.st_size);
}

TfRecordReader::~TfRecordReader() {
  ::close(descriptor_);
}

std::optional<RecordLocation> TfRecordReader::locate(std::uint64_t offset) const {
  if (offset == file_bytes_) return std::nullopt;
  const std::uint64_t left = file_bytes_ - std::min(offset, file_bytes_);
  if (left < kRecordHeaderBytes) {
    reject_record("{}: the file ends inside a record header ({} of {} bytes); it is truncated",
                  describe_record(path_, offset), left, kRecordHeaderBytes);
  }
  std::array<char, kRecordHeaderBytes> header;
  read_bytes(offset, header.data(), header.size());
  const auto length = load<std::uint64_t>(header.data());
  if (masked_crc32c({header.data(), sizeof length}) != load<std::uint32_t>(header.data() + 8)) {
    const bool gzip = offset == 0 && header[0] == '\x1f' && header[1] == '\x8b';
    reject_record("{}: wrong checksum of the record length; {}", describe_record(path_, offset),
                  gzip ? "the file is gzip-compressed: decompress it first"
                       : fmt::format("the file is damaged or not a TFRecord file, and no record of "
                                     "the last {} bytes can be found",
                                     left));
  }
  if (length > kLargestRecord) {
    reject_record("{}: the record says it has {} bytes; at most {} are accepted",
                  describe_record(path_, offset), length, kLargestRecord);
  }
  if (left < kRecordHeaderBytes + length + kRecordFooterBytes) {
    reject_record("{}: the file ends inside a record of {} bytes; it is truncated",
                  describe_record(path_, offset), length);
  }
  return RecordLocation{offset, length};
}

void TfRecordReader::read(const RecordLocation& location, std::string& payload) const {
  if (location.length > kLargestRecord || location.end() > file_bytes_) {
    reject_record("{}: the file is shorter than when it was opened first; it was changed",
                  describe_record(path_, location.offset));
  }
  payload.resize(location.length + kRecordFooterBytes);
  read_bytes(location.offset + kRecordHeaderBytes, payload.data(), payload.size());
  const auto stored = load<std::uint32_t>(payload.data() + location.length);
  payload.resize(location.length);
  if (masked_crc32c(payload) != stored) {
    reject_record("{}: wrong checksum of the record's {} bytes of data; the file is damaged",
                  describe_record(path_, location.offset), location.length);
  }
}

void TfRecordReader::read_bytes(std::uint64_t offset, char* bytes, std::size_t count) const {
  while (count > 0) {
    const ssize_t got = ::pread(descriptor_, bytes, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_file("read", path_, std::strerror(errno));
    if (got == 0) {
      reject_record("{}: the file became shorter while it was read",
                    describe_record(path_, offset));
    }
    bytes += got;
    offset += static_cast<std::uint64_t>(got);
    count -= static_cast<std::size_t>(got);
  }
}

}  // namespace convoy::data
