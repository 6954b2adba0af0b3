#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace convoy::data {

// A TFRecord file is a sequence of records, each framed as
//   length (8 bytes, little endian), masked CRC32C of the length (4), payload, its masked CRC32C
//   (4).
inline constexpr std::uint64_t kRecordHeaderBytes = 12;
inline constexpr std::uint64_t kRecordFooterBytes = 4;

// Longer records are refused: no picture needs them, and a length is not worth an allocation before
// anything of the payload is verified. 256 MiB.
inline constexpr std::uint64_t kLargestRecord = std::uint64_t{1} << 28;

struct RecordLocation {
  std::uint64_t offset = 0;  // bytes from the start of the file to the record's framing
  std::uint64_t length = 0;  // bytes of payload

  std::uint64_t end() const { return offset + kRecordHeaderBytes + length + kRecordFooterBytes; }
};

// One open file. Reads are positional, so several threads may use one reader. Throws Error
// (kUnavailable) if the file cannot be opened or read, BadRecord for what is wrong in it; both name
// the file, BadRecord also the byte offset of the record.
class TfRecordReader {
 public:
  explicit TfRecordReader(const std::filesystem::path& path);
  ~TfRecordReader();
  TfRecordReader(const TfRecordReader&) = delete;
  TfRecordReader& operator=(const TfRecordReader&) = delete;

  // Reads and verifies the header at `offset`; nothing exactly at the end of the file.
  std::optional<RecordLocation> locate(std::uint64_t offset) const;

  // Reads the payload into `payload` and verifies it.
  void read(const RecordLocation& location, std::string& payload) const;

 private:
  void read_bytes(std::uint64_t offset, char* bytes, std::size_t count) const;

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t file_bytes_ = 0;
};

// "<file>, byte <offset>": how messages name a record.
std::string describe_record(const std::filesystem::path& path, std::uint64_t offset);

}  // namespace convoy::data
