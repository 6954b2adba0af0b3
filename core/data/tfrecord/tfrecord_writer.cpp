#include "core/data/tfrecord/tfrecord_writer.hpp"

#include <cstdint>

#include "core/base/error.hpp"
#include "core/data/tfrecord/crc32c.hpp"

namespace convoy::data {
namespace {

template <typename Integer>
std::string_view bytes_of(const Integer& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

void put(std::ofstream& stream, std::string_view bytes) {
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

TfRecordWriter::TfRecordWriter(const std::filesystem::path& path)
    : path_(path), stream_(path, std::ios::binary | std::ios::trunc) {
  if (!stream_) {
    fail(ExitCode::kUnavailable, "cannot create {}; check that the folder exists and is writable",
         path.string());
  }
}

void TfRecordWriter::write(std::string_view payload) {
  const std::uint64_t length = payload.size();
  const std::uint32_t length_crc = masked_crc32c(bytes_of(length));
  const std::uint32_t payload_crc = masked_crc32c(payload);
  put(stream_, bytes_of(length));
  put(stream_, bytes_of(length_crc));
  put(stream_, payload);
  put(stream_, bytes_of(payload_crc));
}

void TfRecordWriter::close() {
  stream_.close();
  if (!stream_) {
    fail(ExitCode::kUnavailable, "writing {} failed; the disk may be full", path_.string());
  }
}

}  // namespace convoy::data
