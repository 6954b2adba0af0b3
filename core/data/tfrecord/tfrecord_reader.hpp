#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace convoy::data {

// A TFRecord file is a sequence of records. Each is framed as
// length (8 bytes, little endian), masked CRC32C of the length (4), payload, its masked CRC32C (4).
inline constexpr std::uint64_t kRecordHeaderBytes = 12;
inline constexpr std::uint64_t kRecordFooterBytes = 4;

// Longer records are refused. No picture needs them, and an unverified length must not cause a
// large allocation. 256 MiB.
inline constexpr std::uint64_t kLargestRecord = std::uint64_t{1} << 28;

struct RecordLocation {
  std::uint64_t offset = 0;  // bytes from the start of the file to the beginning of the record
  std::uint64_t length = 0;  // bytes of payload

  std::uint64_t end() const { return offset + kRecordHeaderBytes + length + kRecordFooterBytes; }
};

// One open file. Reads are positional, so several threads may use one reader. Throws Error
// (kUnavailable) if the file cannot be opened or read, and BadRecord for errors in its content.
// Both name the file; BadRecord also names the byte offset of the record.
class TfRecordReader {
 public:
  explicit TfRecordReader(const std::filesystem::path& path);
  ~TfRecordReader();
  TfRecordReader(const TfRecordReader&) = delete;
  TfRecordReader& operator=(const TfRecordReader&) = delete;

  // Reads and verifies the header at `offset`. Empty exactly at the end of the file.
  std::optional<RecordLocation> locate(std::uint64_t offset) const;

  // Reads the payload into `payload` and verifies it.
  void read(const RecordLocation& location, std::string& payload) const;

 private:
  void read_bytes(std::uint64_t offset, char* bytes, std::size_t count) const;

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t file_bytes_ = 0;
};

// Returns "<file>, byte <offset>", by which messages name a record.
std::string describe_record(const std::filesystem::path& path, std::uint64_t offset);

}  // namespace convoy::data
