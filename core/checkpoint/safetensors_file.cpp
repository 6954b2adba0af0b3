#include "core/checkpoint/safetensors_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/error.hpp"
#include "core/data/tfrecord/crc32c.hpp"

namespace convoy::checkpoint {

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) : path_(path) {
  open();
  try {
    read_header();
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
  for (const StoredTensor& tensor : header_.tensors) by_name_.emplace(tensor.info.name, &tensor);
}

SafetensorsFile::~SafetensorsFile() {
  ::close(descriptor_);
}

void SafetensorsFile::open() {
  // O_NONBLOCK: opening a named pipe does not wait for a writer.
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0)
    fail(ExitCode::kFailed, "cannot open {}: {}", path_.string(), std::strerror(errno));
  struct stat status {};
  const bool regular = ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
  if (!regular) {
    ::close(descriptor_);
    fail(ExitCode::kFailed, "{} is not a file; give a file in the safetensors format",
         path_.string());
  }
  file_bytes_ = static_cast<std::uint64_t>(status.st_size);
}

void SafetensorsFile::read_header() {
  const std::string file = path_.string();
  if (file_bytes_ < kSafetensorsPrefixBytes)
    fail(ExitCode::kFailed, "{}: {} bytes are too few for a safetensors file: it was cut off", file,
         file_bytes_);
  std::uint64_t length = 0;
  read_at(0, &length, sizeof(length));
  const std::uint64_t rest = file_bytes_ - kSafetensorsPrefixBytes;
  if (length > kSafetensorsLongestHeader)
    fail(ExitCode::kFailed,
         "{}: its header claims {} bytes, at most {} are possible: it is no safetensors file, or "
         "damaged",
         file, length, kSafetensorsLongestHeader);
  if (length > rest)
    fail(ExitCode::kFailed,
         "{}: its header claims {} bytes, but {} follow: the file was cut off or is no safetensors "
         "file",
         file, length, rest);
  std::string json(length, '\0');
  read_at(kSafetensorsPrefixBytes, json.data(), length);
  data_start_ = kSafetensorsPrefixBytes + length;
  header_ = parse_safetensors_header(json, rest - length, file);
}

void SafetensorsFile::read_at(std::uint64_t position, void* to, std::uint64_t bytes) const {
  auto* out = static_cast<std::byte*>(to);
  while (bytes > 0) {
    const ssize_t count = ::pread(descriptor_, out, bytes, static_cast<off_t>(position));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0)
      fail(ExitCode::kFailed, "cannot read {} at byte {}: {}", path_.string(), position,
           count == 0 ? "the file became shorter" : std::strerror(errno));
    out += count;
    position += static_cast<std::uint64_t>(count);
    bytes -= static_cast<std::uint64_t>(count);
  }
}

const StoredTensor* SafetensorsFile::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

std::vector<std::byte> SafetensorsFile::read(const StoredTensor& tensor) const {
  std::vector<std::byte> data(tensor.end - tensor.begin);
  read_at(data_start_ + tensor.begin, data.data(), data.size());
  return data;
}

std::vector<float> SafetensorsFile::read_floats(const StoredTensor& tensor) const {
  try {
    return tensor_floats(tensor.info, read(tensor));
  } catch (const Error& error) {
    fail(error.code(), "{}: {}", path_.string(), error.what());
  }
}

std::uint32_t SafetensorsFile::checksum() const {
  std::vector<char> piece(std::size_t{1} << 20);
  std::uint32_t sum = 0;
  for (std::uint64_t at = data_start_; at < file_bytes_; at += piece.size()) {
    const std::uint64_t count = std::min<std::uint64_t>(piece.size(), file_bytes_ - at);
    read_at(at, piece.data(), count);
    sum = data::crc32c({piece.data(), count}, sum);
  }
  return sum;
}

}  // namespace convoy::checkpoint
